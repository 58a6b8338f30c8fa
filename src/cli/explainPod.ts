import {
  arrayOf,
  failed,
  type JsonObject,
  objectOf,
  ok,
  type Result,
  systemClock,
  textOf,
  timeOf,
} from '@weeder/kube-runtime/base';
import { eventsPath } from '@weeder/kube-runtime/events';
import { codedError } from '../base/errors.ts';
import type { ListReader } from '../base/listReader.ts';
import type { Config } from '../config/config.ts';
import { parseConfig } from '../config/parse.ts';
import { explainPod, type InspectedPod } from '../explain/explainPod.ts';
import { inspectCluster } from '../explain/inspectCluster.ts';
import { podPath } from '../weeder/pods/podPath.ts';
import { podReportFrom, type WrittenEvent } from '../weeder/report/podReport.ts';
import { loadConfig, problemOf } from './configFile.ts';
import { connect, interactive } from './connect.ts';
import type { ReadFlags } from './flags/readFlags.ts';
import { fail, print, printRemarks } from './output.ts';
import { createPrintedReader } from './printedReader.ts';

type PodFlags = ReadFlags & { readonly configFile?: string };

/** `weeder explain pod NAME`: why the pod is, is not, or was deleted, from the cluster and from the Events of weeder. */
export async function explainPodNamed(namespace: string, name: string, flags: PodFlags): Promise<number> {
  const config = await configOf(flags.configFile);
  if (!config.ok) return fail(config.error);
  const client = await connect({ ...flags, ...interactive }, systemClock);
  if (!client.ok) return fail(client.error);
  const inspectIn = async (namespaces: 'all' | readonly string[]) => {
    const reader = createPrintedReader(client.value);
    return { reader, pod: await inspect(namespace, name, config.value, namespaces, reader) };
  };
  const everywhere = await inspectIn('all');
  // The services of most pods are in their own namespace, and not every user may list the whole cluster.
  const isRefused = everywhere.reader.refused().length > 0;
  const { reader, pod } = isRefused ? await inspectIn([namespace]) : everywhere;
  await client.value.close();
  if (!pod.ok) return fail(pod.error);
  return reader.report(() => {
    print(explainPod(pod.value).join('\n'));
    printRemarks([
      ...(flags.configFile === undefined ? [noConfig] : []),
      ...(isRefused
        ? [`services of other namespaces than ${namespace} are left out, because you may not list them`]
        : []),
    ]);
  });
}

/** The config of a fresh install. */
const assumed = 'declaredDependencies: {}';
const noConfig = `without --config-file, only what pods declare counts, as with the config "${assumed}"`;

async function configOf(file: string | undefined): Promise<Result<Config>> {
  if (file !== undefined) return loadConfig('explain', file);
  const config = parseConfig(assumed, '');
  return config.ok ? config : failed(problemOf('', config.error));
}

async function inspect(
  namespace: string,
  name: string,
  config: Config,
  namespaces: 'all' | readonly string[],
  reader: ListReader,
): Promise<Result<InspectedPod>> {
  const object = await reader.readOne(podPath(namespace, name), `pods in ${namespace}`);
  if (!object.ok) return object;
  const query = { fieldSelector: `regarding.kind=Pod,regarding.name=${name}`, limit: 500 };
  const list = await reader.readOne(eventsPath(namespace), `events in ${namespace}`, query);
  if (!list.ok) return list;
  const events = arrayOf(list.value?.['items'])
    .flatMap(eventOf)
    .sort((a, b) => a.at - b.at);
  if (object.value === undefined && events.every((event) => podReportFrom(event) === undefined))
    return failed(codedError('POD_NOT_FOUND', `There is no pod ${name} in the namespace ${namespace}.`));
  const view = await inspectCluster(config, namespaces, reader.read);
  return view.ok ? ok({ namespace, name, object: object.value, view: view.value, events }) : view;
}

/** An Event of weeder; none for those of others. */
function eventOf(event: unknown): WrittenEvent[] {
  const { regarding, reason, note, eventTime, series, reportingController }: JsonObject = objectOf(event);
  const at = timeOf(objectOf(series)['lastObservedTime']) ?? timeOf(eventTime);
  if (reportingController !== 'weeder.dev/weeder' || at === undefined) return [];
  const uid = textOf(objectOf(regarding)['uid']) ?? '';
  return [{ uid, reason: textOf(reason) ?? '', note: textOf(note) ?? '', at }];
}
