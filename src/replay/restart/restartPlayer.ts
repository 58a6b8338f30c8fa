import type { InspectionEvent } from 'xstate';
import { arrayOf, objectOf } from '../../base/json.ts';
import { settled, type VirtualClock } from '../../base/virtualClock.ts';
import type { ObjectSink } from '../../kube/watch/sink.ts';
import type { RecordedLine, RecordingHeader } from '../../recording/lines.ts';
import { type RecordedRestartEvent, recordedRestartEventOf } from '../../recording/restart/recordedRestartEvent.ts';
import { purposeOf, restartRequests } from '../../recording/restart/recordRestartApi.ts';
import type { RecordedResponse, RestartInput } from '../../recording/restart/restartLines.ts';
import { createRestartSnapshot } from '../../recording/restart/restartSnapshot.ts';
import type { Answer } from '../../restart/model/answer.ts';
import type { ReportRestart } from '../../restart/model/events.ts';
import { workloadKey } from '../../restart/model/refs.ts';
import type { RestartApi } from '../../restart/requests/restartApi.ts';
import type { RestartControl } from '../../restart/restartControl.ts';
import { createRestartCore, type RestartCore } from '../../restart/restartCore.ts';
import type { Digests } from '../../restart/sources/digests.ts';
import type { SourcesKnown } from '../../restart/sources/sourceIndex.ts';
import { recordedConfig } from '../recorded/recordedConfig.ts';
import { recordedRandom } from '../recorded/recordedRandom.ts';
import { createResponses } from '../recorded/recordedResponses.ts';
import { recordedCopy, recordedDigest } from '../recorded/restartSchema.ts';
import { createExcludedWorkloads } from './excludedWorkloads.ts';
import { recordedHashes } from './recordedHashes.ts';
import { createRecordedKeys } from './recordedKeys.ts';
import { countResponses, requestsAbout, restartInputs } from './restartInputs.ts';

/** Runs the real restart control in simulated time, with the recorded inputs. */
interface RestartPlayer {
  take(input: RestartInput): Promise<void>;
  /** Undefined: no input has been recorded so far. */
  control(): RestartControl | undefined;
}

interface RestartPlayerOptions {
  readonly header: RecordingHeader;
  readonly lines: readonly RecordedLine[];
  readonly clock: VirtualClock;
  readonly report: (event: RecordedRestartEvent) => void;
  /** Called with every event, including those that are excluded in a file that begins in the middle. */
  readonly reportEvent?: ReportRestart | undefined;
  readonly inspect?: (event: InspectionEvent) => void;
}

/** The response to a request that has no recorded response. */
const unanswered = { is: 'refused', failure: 'network', retryAfter: 0 } as const;
const reason = 'the recording has no answer to it';

export function createRestartPlayer(options: RestartPlayerOptions): RestartPlayer {
  const { header, clock, inspect } = options;
  const isContinued = header.part > 1;
  const snapshot = createRestartSnapshot();
  const excluded = createExcludedWorkloads();
  const inputs = restartInputs(options.lines);
  const randomAt = recordedRandom(options.lines, isContinued);
  const hashAt = recordedHashes(options.lines);
  const responses = createResponses<RecordedResponse>(countResponses(inputs));
  const keys = createRecordedKeys();
  let core: RestartCore | undefined;
  /** In a file that begins in the middle, each response is repeated once, and answers every later request. */
  const digests = new Map<string, RecordedResponse>();

  function report(event: RecordedRestartEvent): void {
    if (!excluded.covers(event)) options.report(event);
  }

  async function request<T>(to: string, read: (value: unknown) => T): Promise<Answer<T>> {
    const answer = digests.get(to) ?? (await responses.request(to, unanswered));
    if (answer.is === 'refused') return { ...answer, reason };
    return answer.is === 'ok' ? { is: 'ok', value: read(answer.value) } : answer;
  }

  const api: RestartApi = {
    // No recording contains the content: `digestsOf` returns the recorded tags.
    readSource: async () => ({ ...unanswered, reason }),
    readWorkload: (ref) => request(restartRequests.workload(ref), objectOf),
    patchWorkload(ref, patch) {
      report({ out: 'write.requested', about: workloadKey(ref), detail: purposeOf(patch) });
      return request(restartRequests.patch(ref), objectOf);
    },
    listPods: (namespace, selector) => request(restartRequests.pods(namespace, selector), arrayOf),
    podsUsing: (namespace, sources) => request(restartRequests.podsUsing(namespace, sources), arrayOf),
    storeCopy(job) {
      report({ out: 'write.requested', about: workloadKey(job.ref), detail: 'copy' });
      return request(restartRequests.copy(job.ref), (value) => recordedCopy.parse(value));
    },
    deleteJob({ job }) {
      report({ out: 'write.requested', about: workloadKey(job), detail: 'deletion' });
      return request(restartRequests.deletion(job), () => undefined);
    },
    recreateJob({ job }) {
      report({ out: 'write.requested', about: workloadKey(job), detail: 'creation' });
      return request(restartRequests.creation(job), () => undefined);
    },
    deleteCopy({ ref }) {
      report({ out: 'write.requested', about: workloadKey(ref), detail: 'deletion' });
      return request(restartRequests.deletion(ref), () => undefined);
    },
    evict(pod) {
      report({ out: 'eviction.requested', about: `${pod.namespace}/${pod.name}`, detail: '' });
      return request(restartRequests.eviction(pod), () => undefined);
    },
  };

  function digestsOf(real: Digests, sources: SourcesKnown): Digests {
    return {
      ...real,
      async digestOf(key, ref, uses) {
        const answer = await request(
          restartRequests.digest(key, ref, uses, sources.get(ref)?.resourceVersion),
          (value) => recordedDigest.parse(value),
        );
        if (answer.is === 'ok') return { is: 'ok', digest: answer.value };
        return answer.is === 'refused' ? answer : { is: 'refused', failure: 'conflict', retryAfter: 0, reason };
      },
      hashOf: (key, workload, tags) =>
        hashAt(restartRequests.hash(key, workload, tags), clock.monotonic()) ?? 'not recorded',
    };
  }

  function begin(config: object): void {
    core?.stop();
    core = createRestartCore({
      config: recordedConfig(config),
      runtime: { clock, ...(inspect === undefined ? {} : { inspect }) },
      namespaces: header.namespaces,
      // The recorded objects have already passed the shard filter.
      shard: undefined,
      isDryRun: header.isDryRun,
      ownNamespace: '',
      api,
      wrapDigests: digestsOf,
      report(event) {
        report(recordedRestartEventOf(event));
        options.reportEvent?.(event);
      },
      random: () => randomAt(clock.monotonic()),
      watchHashKeys: keys.follow,
      onStreamsChanged: () => {},
      onStreamClosed: () => {},
    });
  }

  /** Starts the workload again from its stored state: its earlier progress is not in the file. */
  function restartSettled(workload: string): void {
    const found = snapshot.workload(workload);
    const sink = found === undefined ? undefined : core?.needs.get(found.stream)?.sink;
    if (found === undefined || sink === undefined) return;
    for (const key of requestsAbout(workload, found.object)) responses.forget(key);
    sink.apply('DELETED', found.object);
    sink.apply('ADDED', found.object);
  }

  function learn(input: RestartInput): void {
    const isBusy = input.in === 'settled' && excluded.has(input.workload);
    snapshot.apply(input);
    excluded.apply(input);
    if (input.in === 'settled' && isBusy) restartSettled(input.workload);
    else if (input.in === 'response' && input.request.startsWith('digest ') && input.response.is === 'ok')
      digests.set(input.request, input.response);
  }

  function feed(input: RestartInput): void {
    if ('stream' in input) feedStream(input, core?.needs.get(input.stream)?.sink);
    else if (input.in === 'created') begin(input.config);
    else if (input.in === 'config') core?.configure(recordedConfig(input.config));
    else if (input.in === 'start') core?.start();
    else if (input.in === 'stop') core?.stop();
    else if (input.in === 'keys' || input.in === 'keysRead') keys.take(input);
  }

  return {
    async take(input) {
      if (isContinued) learn(input);
      if (input.in === 'response') responses.respond(input.request, input.response);
      else feed(input);
      // A response was handled before the next input came, even if both have the same time.
      if (waitedFor.has(input.in)) await settled();
    },
    control: () => core?.control(),
  };
}

const waitedFor: ReadonlySet<RestartInput['in']> = new Set(['response', 'snapshotEnd', 'settled']);

function feedStream(input: Extract<RestartInput, { readonly stream: string }>, sink: ObjectSink | undefined): void {
  if (input.in === 'begin') sink?.begin();
  else if (input.in === 'end') sink?.end(input.resourceVersion);
  else sink?.apply(input.in, input.object);
}
