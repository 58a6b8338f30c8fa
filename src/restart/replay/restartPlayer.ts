import { objectOf } from '@weeder/kube-runtime/base';
import { workloadKindNames } from '@weeder/kube-runtime/objects';
import type { OtherKind } from '../../config/restart.ts';
import type { ResponseInput } from '../../recording/file/snapshot.ts';
import { type ControllerPlayer, createPlayed, noRequests, type Stage } from '../../replay/played/played.ts';
import { recordedHashes } from '../../replay/played/recordedValues.ts';
import { isExcludedWorkload, recordedRestartEventOf } from '../recording/recordedRestartEvent.ts';
import { restartDigests } from '../recording/restartDigests.ts';
import { restartPort, restartRequests } from '../recording/restartPort.ts';
import { unansweredRestart } from '../recording/restartResponses.ts';
import { createRestartSnapshot, workloadIn } from '../recording/restartSnapshot.ts';
import type { ReportRestart } from '../references/events.ts';
import { readWorkload } from '../references/workloadSummary.ts';
import type { RestartControl } from '../restartControl.ts';
import { createRestartCore, type RestartCore } from '../restartCore.ts';
import { createRecordedKeys } from './recordedKeys.ts';

/**
 * Runs the real restart control in simulated time, with the recorded inputs. `report`: called with every event, including those that are excluded in a file that begins in the middle.
 */
export function createRestartPlayer(stage: Stage, report: ReportRestart): ControllerPlayer<RestartControl> {
  const { header, clock, lines } = stage;
  const snapshot = createRestartSnapshot();
  const hashAt = recordedHashes(lines, 'restart');
  const keys = createRecordedKeys();
  /** In a file that begins in the middle, each response is repeated once, and answers every later request. */
  const digests = new Map<string, unknown>();

  const played = createPlayed<RestartCore>(stage, {
    of: 'restart',
    snapshot,
    busy: new Set(),
    isExcluded: isExcludedWorkload,
    unanswered: () => unansweredRestart,
    known: (request) => digests.get(request),
    settle: restartSettled,
    create: (config, { requests, ...inputs }) =>
      createRestartCore({
        ...inputs,
        config,
        namespaces: header.namespaces,
        // The recorded objects are those of owned namespaces.
        owned: undefined,
        isDryRun: header.isDryRun,
        ownNamespace: '',
        isContinued: header.part > 1,
        api: restartPort(noRequests, requests, objectOf),
        wrapDigests: (real, sources) =>
          restartDigests(real, sources, requests, (to) => hashAt(to, clock.monotonic()) ?? 'not recorded'),
        report(event) {
          played.record(recordedRestartEventOf(event));
          report(event);
        },
        watchHashKeys: keys.follow,
        onStreamsChanged: () => {},
        onStreamClosed: () => {},
      }),
  });

  const otherKinds = () => played.core()?.control()?.config().workloadKinds ?? [];

  /** Starts the workload again from its stored state: its earlier progress is not in the file. */
  function restartSettled(workload: string): void {
    const recordedWorkload = workloadIn(snapshot, workload);
    const sink = recordedWorkload === undefined ? undefined : played.core()?.needs.get(recordedWorkload.stream)?.sink;
    if (recordedWorkload === undefined || sink === undefined) return;
    for (const request of requestsAbout(workload, recordedWorkload.object, otherKinds()))
      played.responses.forget(request);
    sink.apply('DELETED', recordedWorkload.object);
    sink.apply('ADDED', recordedWorkload.object);
  }

  function learnDigest({ request, response }: ResponseInput): void {
    const isDigest = header.part > 1 && request.startsWith('digest ') && objectOf(response)['type'] === 'ok';
    if (isDigest) digests.set(request, response);
  }

  return {
    async take(input) {
      if (input.in === 'response') learnDigest(input);
      if (input.in === 'keys' || input.in === 'keysRead') keys.take(input);
      await played.take(input);
    },
    shown: () => played.core()?.control(),
  };
}

/** Returns the requests that concern only this workload. */
function requestsAbout(id: string, object: object, otherKinds: readonly OtherKind[]): string[] {
  const names = [...workloadKindNames, ...otherKinds.map(({ name }) => name)];
  const kind = names.find((name) => id.startsWith(`${name.toLowerCase()}/`));
  const events = kind === undefined ? undefined : readWorkload(object, kind, otherKinds);
  if (events === undefined) return [];
  const { ref, selector } = events;
  const pods = selector === undefined ? [] : [restartRequests.pods(ref.namespace, selector)];
  const ofJobs = [restartRequests.copy(ref), restartRequests.deletion(ref), restartRequests.creation(ref)];
  return [restartRequests.workload(ref), restartRequests.patch(ref), ...ofJobs, ...pods];
}
