import { objectOf } from '../../base/json.ts';
import { settled } from '../../base/virtualClock.ts';
import { workloadKindNames } from '../../kube/objects/workloadKinds.ts';
import type { RecordedEvent } from '../../recording/events.ts';
import type { Input } from '../../recording/file/entry.ts';
import { recordedRestartEventOf } from '../../recording/restart/recordedRestartEvent.ts';
import { restartDigests } from '../../recording/restart/restartDigests.ts';
import { restartPort, restartRequests } from '../../recording/restart/restartPort.ts';
import { unansweredRestart } from '../../recording/restart/restartResponses.ts';
import { createRestartSnapshot, workloadIn } from '../../recording/restart/restartSnapshot.ts';
import type { ReportRestart } from '../../restart/model/events.ts';
import { readWorkload } from '../../restart/model/workloadSummary.ts';
import type { RestartControl } from '../../restart/restartControl.ts';
import { createRestartCore } from '../../restart/restartCore.ts';
import { isExcluded } from '../recorded/excluded.ts';
import { createPlayed, noRequests, type Stage } from '../recorded/played.ts';
import { recordedHashes } from '../recorded/recordedValues.ts';
import { createRecordedKeys } from './recordedKeys.ts';

/** Runs the real restart control in simulated time, with the recorded inputs. */
interface RestartPlayer {
  take(input: Input): Promise<void>;
  /** Undefined: no input has been recorded so far. */
  control(): RestartControl | undefined;
}

interface Reports {
  /** Called with each event and request, except those that are excluded in a file that begins in the middle. */
  readonly record: (event: RecordedEvent) => void;
  /** Called with every event. */
  readonly report?: ReportRestart | undefined;
}

export function createRestartPlayer(stage: Stage, { record, report }: Reports): RestartPlayer {
  const { header, clock, lines } = stage;
  const isContinued = header.part > 1;
  const snapshot = createRestartSnapshot();
  const busy = new Set<string>();
  const hashAt = recordedHashes(lines, 'restart');
  const keys = createRecordedKeys();
  /** In a file that begins in the middle, each response is repeated once, and answers every later request. */
  const digests = new Map<string, unknown>();

  function recordComparable(event: RecordedEvent): void {
    if (!isExcluded.restart(event, busy)) record(event);
  }

  const played = createPlayed(stage, {
    of: 'restart',
    unanswered: () => unansweredRestart,
    answer: async (request, responses) => digests.get(request) ?? responses.request(request, unansweredRestart),
    report: recordComparable,
    create: (config, { requests, ...inputs }) =>
      createRestartCore({
        ...inputs,
        config,
        namespaces: header.namespaces,
        // The recorded objects have already passed the shard filter.
        shard: undefined,
        isDryRun: header.isDryRun,
        ownNamespace: '',
        api: restartPort(noRequests, requests, objectOf),
        wrapDigests: (real, sources) =>
          restartDigests(real, sources, requests, (to) => hashAt(to, clock.monotonic()) ?? 'not recorded'),
        report(event) {
          recordComparable(recordedRestartEventOf(event));
          report?.(event);
        },
        watchHashKeys: keys.follow,
        onStreamsChanged: () => {},
        onStreamClosed: () => {},
      }),
  });

  /** Starts the workload again from its stored state: its earlier progress is not in the file. */
  function restartSettled(workload: string): void {
    const found = workloadIn(snapshot, workload);
    const sink = found === undefined ? undefined : played.core()?.needs.get(found.stream)?.sink;
    if (found === undefined || sink === undefined) return;
    for (const request of requestsAbout(workload, found.object)) played.responses.forget(request);
    sink.apply('DELETED', found.object);
    sink.apply('ADDED', found.object);
  }

  function learn(input: Input): void {
    snapshot.apply(input, { t: clock.monotonic(), wall: 0 });
    if (input.in === 'snapshotEnd') for (const workload of input.busy) busy.add(workload);
    else if (input.in === 'settled' && busy.delete(input.id)) restartSettled(input.id);
    else if (input.in === 'response' && input.request.startsWith('digest ') && objectOf(input.response)['is'] === 'ok')
      digests.set(input.request, input.response);
  }

  return {
    async take(input) {
      if (isContinued) learn(input);
      if (input.in === 'keys' || input.in === 'keysRead') keys.take(input);
      else await played.take(input);
      if (input.in === 'snapshotEnd' || input.in === 'settled') await settled();
    },
    control: () => played.core()?.control(),
  };
}

/** Returns the requests that concern only this workload. */
function requestsAbout(id: string, object: object): string[] {
  const kind = workloadKindNames.find((name) => id.startsWith(`${name.toLowerCase()}/`));
  const events = kind === undefined ? undefined : readWorkload(object, kind);
  if (events === undefined) return [];
  const { ref, selector } = events;
  const pods = selector === undefined ? [] : [restartRequests.pods(ref.namespace, selector)];
  const ofJobs = [restartRequests.copy(ref), restartRequests.deletion(ref), restartRequests.creation(ref)];
  return [restartRequests.workload(ref), restartRequests.patch(ref), ...ofJobs, ...pods];
}
