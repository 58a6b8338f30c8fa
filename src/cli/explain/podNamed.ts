import { failed, ok } from '@weeder/kube-runtime/base';
import { codedError } from '../../base/errors.ts';
import { explainPod } from '../../explain/explainPod.ts';
import { inspectCluster } from '../../explain/inspectCluster.ts';
import { podPath } from '../../weeder/pods/podPath.ts';
import { podReportFrom } from '../../weeder/report/podReport.ts';
import { readEventsAbout } from '../writtenEvents.ts';
import { type Answer, explainOne, type OneFlags } from './explainOne.ts';

/** `weeder explain pod NAME`: why the pod is, is not, or was deleted, from the cluster and from the Events of weeder. */
export function explainPodNamed(namespace: string, name: string, flags: OneFlags): Promise<number> {
  return explainOne({ namespace, name }, flags, declaredOnly, answer);
}

/** The config of a fresh install. */
export const declaredOnly = { text: 'declaredDependencies: {}', inWords: 'only what pods declare counts' };

const answer: Answer = async ({ namespace, name, namespaces, config, reader }) => {
  const object = await reader.readOne(podPath(namespace, name), `pods in ${namespace}`);
  if (!object.ok) return object;
  const events = await readEventsAbout(reader, { kind: 'Pod', namespace, name });
  if (!events.ok) return events;
  if (object.value === undefined && events.value.every((event) => podReportFrom(event) === undefined))
    return failed(codedError('OBJECT_NOT_FOUND', `There is no pod ${name} in the namespace ${namespace}.`));
  const view = await inspectCluster(config, namespaces, reader.read);
  if (!view.ok) return view;
  return ok([explainPod({ namespace, name, object: object.value, view: view.value, events: events.value })]);
};
