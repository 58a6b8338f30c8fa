import {
  type CodedError,
  failed,
  type JsonObject,
  objectOf,
  ok,
  type Result,
  systemClock,
} from '@weeder/kube-runtime/base';
import { describeFailure, type KubeClient } from '@weeder/kube-runtime/client';
import { eventsPath } from '@weeder/kube-runtime/events';
import { listPages, type ObjectSink, type WatchSource, watchOnce } from '@weeder/kube-runtime/watch';
import { codedError } from '../../base/errors.ts';
import { connect, interactive } from '../connect.ts';
import { namespaceOf } from '../contextNamespace.ts';
import { dataText } from '../data/printData.ts';
import type { EventsFlags } from '../flags/eventsFlags.ts';
import { isKindName } from '../flags/kindNames.ts';
import { exitCodes, fail, printLines, printRemarks } from '../output.ts';
import { ofWeeder, type ReadEvent, readEvent } from '../writtenEvents.ts';
import { eventRow, eventTable } from './eventRows.ts';

/** `weeder events`: weeder’s own Kubernetes Events, the newest last, in the form of `kubectl events`. */
export async function events(flags: EventsFlags): Promise<number> {
  if (flags.watch === true && flags.output !== undefined)
    return fail(codedError('USAGE', 'The flag --watch prints a table: leave out --output.'));
  const namespace = flags.allNamespaces === true ? ok(undefined) : namespaceOf(flags);
  if (!namespace.ok) return fail(namespace.error);
  const client = await connect({ ...flags, ...interactive }, systemClock);
  if (!client.ok) return fail(client.error);
  const shown = await show(client.value, namespace.value, flags);
  await client.value.close();
  return shown.ok ? exitCodes.ok : fail(shown.error);
}

async function show(client: KubeClient, namespace: string | undefined, flags: EventsFlags): Promise<Result<undefined>> {
  const found: ReadEvent[] = [];
  const source = sourceOf(namespace, flags, {
    begin: () => found.splice(0),
    apply: (_type, object) => found.push(...asked(object, flags)),
    end: () => {},
  });
  const list = await listPages(client, source, AbortSignal.timeout(60_000));
  const where = namespace === undefined ? '' : ` in the namespace ${namespace}`;
  if (!list.ok) return failed(problemOf(describeFailure(list.failure, client.server), where));
  print(
    found.sort((a, b) => a.at - b.at),
    flags,
    where,
  );
  return flags.watch === true ? follow(client, namespace, flags, list.resourceVersion, where) : ok(undefined);
}

/** Prints each Event that is written from now on, until the process is stopped, or the API server refuses. */
async function follow(
  client: KubeClient,
  namespace: string | undefined,
  flags: EventsFlags,
  since: string,
  where: string,
): Promise<Result<undefined>> {
  const source = sourceOf(namespace, flags, {
    begin: () => {},
    apply(type, object) {
      if (type === 'DELETED') return;
      printLines(asked(object, flags).map((event) => eventRow(event, Date.now(), namespace === undefined)));
    },
    end: () => {},
  });
  const { signal } = new AbortController();
  for (let start: string | undefined = since; ; ) {
    const run = { client, clock: systemClock, source, start, timeoutSeconds: 300, signal, onOpened: () => {} };
    const { reason, message, position } = await watchOnce(run);
    if (reason !== 'ended') return failed(problemOf(message, where));
    start = position ?? start;
  }
}

function problemOf(why: string, where: string): CodedError {
  return codedError('CLUSTER_REFUSES', `Cannot read the Events${where}:`, why);
}

function sourceOf(namespace: string | undefined, flags: EventsFlags, sink: ObjectSink): WatchSource {
  const about = flags.for === undefined ? '' : `,regarding.name=${flags.for.name}`;
  return { path: eventsPath(namespace), kind: 'Event', labelSelector: '', fieldSelector: `${ofWeeder}${about}`, sink };
}

/** The Event, if it is one of weeder about what was asked for. */
function asked(object: unknown, flags: EventsFlags): readonly ReadEvent[] {
  const event = readEvent(object);
  if (event === undefined) return [];
  const { kind, name } = event.about;
  return flags.for === undefined || (name === flags.for.name && isKindName(kind, flags.for.kind)) ? [event] : [];
}

function print(found: readonly ReadEvent[], { output, allNamespaces = false }: EventsFlags, where: string): void {
  if (output === undefined) {
    if (found.length > 0) printLines(eventTable(found, Date.now(), allNamespaces));
    else printRemarks([`there are no Events of weeder${where}`]);
    return;
  }
  const list = { apiVersion: 'v1', kind: 'List', metadata: {}, items: found.map(({ object }) => withKind(object)) };
  process.stdout.write(`${dataText(list, output)}\n`);
}

/** The objects in a list do not have their own kind. */
function withKind(object: JsonObject): JsonObject {
  const { managedFields: _managedFields, ...metadata } = objectOf(object['metadata']);
  return { apiVersion: 'events.k8s.io/v1', kind: 'Event', ...object, metadata };
}
