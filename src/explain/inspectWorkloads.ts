import { randomBytes } from 'node:crypto';
import { type CodedError, ok, type Result, systemClock } from '@weeder/kube-runtime/base';
import type { KubeClient } from '@weeder/kube-runtime/client';
import { dryRunClient } from '@weeder/kube-runtime/client';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import type { Config } from '../config/config.ts';
import type { RestartConfig, RestartSettings } from '../config/restart.ts';
import { type CurrentSourcesAnswer, readCurrentSources } from '../restart/content/currentSources.ts';
import { decodeState, type WorkloadState } from '../restart/content/state.ts';
import { trustedSummary } from '../restart/content/stateOwner.ts';
import { type HashKeys, hashKeyOf, readHashKeys } from '../restart/digest/hashKeys.ts';
import { type PodSummary, readPods } from '../restart/pods/podSummary.ts';
import { type WorkloadRef, workloadKey } from '../restart/references/refs.ts';
import { withoutSecrets } from '../restart/references/sourceMeta.ts';
import type { WorkloadSummary } from '../restart/references/workloadSummary.ts';
import { type RestartApi, restartApi } from '../restart/requests/restartApi.ts';
import { createDigests } from '../restart/sources/digests.ts';
import { settingsFor } from '../restart/sources/managed.ts';
import { createRestartStreams } from '../restart/sources/restartStreams.ts';
import { createSourceIndex, type SourcesKnown } from '../restart/sources/sourceIndex.ts';
import { usesOfWorkload, type WorkloadUses } from '../restart/sources/workloadUses.ts';
import { createSharedTemplates } from '../restart/workload/sharedTemplates.ts';
import { createWorkloadSinks, type WorkloadUpdate } from '../restart/workload/workloadSinks.ts';

/** What was read about one workload that restart control manages. */
export interface WorkloadView {
  readonly summary: WorkloadSummary;
  /** Undefined: the workload is no longer managed. */
  readonly settings: RestartSettings | undefined;
  readonly uses: WorkloadUses;
  readonly sources: SourcesKnown;
  /** The current tags of its sources. */
  readonly current: CurrentSourcesAnswer;
  /** The stored state; `otherKey`: it was made with a hash key that is not available here. */
  readonly state: WorkloadState | 'none' | 'unreadable' | 'otherKey';
  /** The workload's pods, or a sentence that says why they could not be read. */
  readonly pods: readonly PodSummary[] | string;
}

/** All managed workloads, and whether the hash key could be read. */
export interface WorkloadsView {
  readonly workloads: readonly WorkloadView[];
  /** The watched workloads, managed or not. */
  readonly summaries: readonly WorkloadSummary[];
  readonly keyProblem: CodedError | undefined;
  /** Where the hash key was expected: `weeder/weeder-hash-key`. */
  readonly keySecret: string;
}

/** The number of workloads that are inspected concurrently. */
const concurrency = 8;

/**
 * Reads the streams of restart control once, then the content of each workload's sources and its pods. Writes nothing.
 * `isAsked`: which workloads are inspected.
 */
export async function inspectWorkloads(
  config: Config & { readonly restart: RestartConfig },
  client: KubeClient,
  namespaces: 'all' | readonly string[],
  readStream: (stream: StreamNeed) => Promise<Result<unknown>>,
  isAsked: (workload: WorkloadRef) => boolean = () => true,
): Promise<Result<WorkloadsView>> {
  const updates = new Map<string, WorkloadUpdate>();
  const sources = createSourceIndex(systemClock, () => {});
  const templates = createSharedTemplates({
    config: () => config.restart,
    hasReadWorkload: () => true,
    receiver: {
      take(update) {
        if (update.copy === undefined && isAsked(update.summary.ref))
          updates.set(workloadKey(update.summary.ref), update);
      },
      remove: (id) => void updates.delete(id),
    },
  });
  const sinks = createWorkloadSinks({ ...templates, knows: () => false }, () => config.restart.workloadKinds);
  const streams = createRestartStreams({
    config,
    namespaces,
    owned: undefined,
    sinks: { workloads: (kind) => sinks.create(kind), sources: (kind) => sources.createSink(kind) },
    reduceSource: withoutSecrets,
    onChanged: () => {},
    onClosed: () => {},
    onSynced: () => {},
    onRead: () => {},
  });
  const first = await readAll([...streams.needs.values()], readStream);
  if (!first.ok) return first;
  const read = new Set(streams.needs.keys());
  const managed = () =>
    [...updates.values()].flatMap((update) => candidateOf(update, config.restart, sources, namespaces));
  // With `access: named`, each source has a stream of its own.
  streams.use(managed().flatMap(({ uses }) => [...uses.uses.map(({ source }) => source), ...uses.notAllowed]));
  const second = await readAll(
    [...streams.needs].flatMap(([name, need]) => (read.has(name) ? [] : [need])),
    readStream,
  );
  if (!second.ok) return second;

  const where = {
    namespace: config.restart.hashKey.namespace ?? (process.env['POD_NAMESPACE'] || 'default'),
    name: config.restart.hashKey.name,
  };
  const keys = await readHashKeys(dryRunClient(client), where, AbortSignal.timeout(20_000));
  const inspect = createInspector(restartApi(client), sources, keys.ok ? keys.value : undefined);
  const views: WorkloadView[] = [];
  const workloads = managed();
  for (let index = 0; index < workloads.length; index += concurrency)
    views.push(...(await Promise.all(workloads.slice(index, index + concurrency).map(inspect))));
  const keySecret = `${where.namespace}/${where.name}`;
  const summaries = [...updates.values()].map(({ summary }) => summary);
  return ok({ workloads: views, summaries, keyProblem: keys.ok ? undefined : keys.error, keySecret });
}

type Candidate = Pick<WorkloadView, 'summary' | 'settings' | 'uses'>;

/** Selects the workloads that are managed, and those that were. */
function candidateOf(
  { summary, uses }: WorkloadUpdate,
  config: RestartConfig,
  sources: SourcesKnown,
  namespaces: 'all' | readonly string[],
): Candidate[] {
  const settings = settingsFor(config, summary);
  if (settings !== undefined)
    return [
      { summary, settings, uses: usesOfWorkload(summary, uses, settings, config, { metaOf: sources.get }, namespaces) },
    ];
  return summary.stateText === undefined
    ? []
    : [{ summary, settings, uses: { uses: [], errors: [], notAllowed: [], notFollowed: [] } }];
}

async function readAll(
  needs: readonly StreamNeed[],
  readStream: (stream: StreamNeed) => Promise<Result<unknown>>,
): Promise<Result<unknown>> {
  for (const need of needs) {
    const done = await readStream(need);
    if (!done.ok) return done;
  }
  return ok(undefined);
}

function createInspector(api: RestartApi, sources: SourcesKnown, keys: HashKeys | undefined) {
  const digests = createDigests({ api, sources });
  // Missing sources and keys can be found without the hash key.
  const anyKey = keys?.current ?? hashKeyOf(randomBytes(32));

  return async ({ summary: reported, settings, uses }: Candidate): Promise<WorkloadView> => {
    const summary = trustedSummary(reported, keys);
    const written = decodeState(summary.stateText);
    const own = typeof written === 'object' && written.workloadUid !== summary.uid ? 'none' : written;
    const key = typeof own === 'object' ? keys?.byId(own.keyId) : undefined;
    const state = typeof own === 'object' && key === undefined ? 'otherKey' : own;
    const [current, pods] = await Promise.all([
      readCurrentSources(uses.uses, key ?? anyKey, digests, sources),
      uses.uses.length === 0 ? [] : podsOf(api, summary),
    ]);
    return { summary, settings, uses, sources, current, state, pods };
  };
}

async function podsOf(api: RestartApi, { ref, selector }: WorkloadSummary): Promise<WorkloadView['pods']> {
  if (selector === undefined) return [];
  const listed = await api.listPods(ref.namespace, selector, AbortSignal.timeout(20_000));
  if (listed.type === 'refused') return listed.reason;
  return listed.type === 'ok' ? readPods(listed.value) : [];
}
