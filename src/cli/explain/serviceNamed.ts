import { failed, ok } from '@weeder/kube-runtime/base';
import { apiPath } from '@weeder/kube-runtime/objects';
import { codedError } from '../../base/errors.ts';
import { explainServiceNamed as explain } from '../../explain/explainServiceNamed.ts';
import { externalNamesOf } from '../../explain/externalNames.ts';
import { inspectCluster } from '../../explain/inspectCluster.ts';
import { readEventsAbout } from '../writtenEvents.ts';
import { type Answer, explainOne, type OneFlags } from './explainOne.ts';
import { declaredOnly } from './podNamed.ts';

/** `weeder explain service NAME`: whether it is watched, is down or in a window, and which pods wait for it. */
export function explainServiceNamed(namespace: string, name: string, flags: OneFlags): Promise<number> {
  return explainOne({ namespace, name }, flags, declaredOnly, answer);
}

const answer: Answer = async ({ namespace, name, namespaces, config, reader }) => {
  const path = apiPath('v1', 'services', { namespace, name });
  const object = await reader.readOne(path, `services in ${namespace}`);
  if (!object.ok) return object;
  const events = await readEventsAbout(reader, { kind: 'Service', namespace, name });
  if (!events.ok) return events;
  const view = await inspectCluster(config, namespaces, reader.read);
  if (!view.ok) return view;
  const isKnown = object.value !== undefined || events.value.length > 0;
  if (!isKnown && view.value.services(namespace, name) === undefined)
    return failed(codedError('OBJECT_NOT_FOUND', `There is no service ${name} in the namespace ${namespace}.`));
  const [externalName] = externalNamesOf(
    object.value === undefined ? [] : [{ ...object.value, kind: 'Service' }],
  ).values();
  return ok([explain({ namespace, name, view: view.value, externalName, events: events.value, now: Date.now() })]);
};
