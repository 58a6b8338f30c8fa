import { systemClock } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { distinctSelectors } from '../config/selectors.ts';
import { failed, ok, problem, type Result } from '../errors.ts';
import type { KubeClient } from '../kube/client.ts';
import { describeFailure } from '../kube/describeFailure.ts';
import { listPages } from '../kube/pagedList.ts';
import type { StreamNeed } from '../kube/streamNeed.ts';
import { workloadKey } from '../restart/refs.ts';
import { deleteNothing } from '../weeder/deletePod.ts';
import { streamsOf } from '../weeder/streams.ts';
import { createWeeder, type Weeder } from '../weeder/weeder.ts';
import { loadConfig } from './configFile.ts';
import { connect } from './connect.ts';
import { explainService } from './explainService.ts';
import { explainWorkload } from './explainWorkload.ts';
import { lookAtWorkloads, type WorkloadsView } from './lookAtWorkloads.ts';
import { exitCodes, fail } from './output.ts';
import { countPods, type PodCounts } from './podCounts.ts';
import type { ClusterFlags } from './runFlags.ts';

/** Somebody waits for the answer: an API server that is away is told within seconds, and once. */
const impatient = { apiServerTimeout: 5000, onWaiting: () => {}, signal: new AbortController().signal };

/**
 * `weeder explain`: what weeder sees of each configured service now, and what it would do in a window; and of each
 * workload that restart control looks after, what it uses and whether it would be restarted.
 */
export async function explain(flags: ClusterFlags & { readonly configFile?: string }): Promise<number> {
  const config = await loadConfig('explain', flags.configFile);
  if (!config.ok) return fail(config.problem);
  const client = await connect({ ...flags, ...impatient }, systemClock);
  if (!client.ok) return fail(client.problem);
  const sections = await explainAll(config.value, client.value, flags.namespaces ?? 'all');
  await client.value.close();
  if (!sections.ok) return fail(sections.problem);
  process.stdout.write(`${sections.value.join('\n\n')}\n`);
  return exitCodes.ok;
}

/** Reads nothing for what the config has no section for. */
async function explainAll(
  config: Config,
  client: KubeClient,
  namespaces: 'all' | readonly string[],
): Promise<Result<string[]>> {
  const services = [...config.services.values()];
  const view = services.length === 0 ? undefined : await lookAtCluster(config, client, namespaces);
  if (view?.ok === false) return view;
  const { restart } = config;
  const read = (stream: StreamNeed) => readOnce(client, stream);
  const workloads =
    restart === undefined ? undefined : await lookAtWorkloads({ ...config, restart }, client, namespaces, read);
  if (workloads?.ok === false) return workloads;
  return ok([
    ...(view === undefined ? [] : services.map((service) => explainService(service, view.value))),
    ...(workloads === undefined ? [] : explainWorkloads(workloads.value, Date.now())),
  ]);
}

const otherKey = 'if weeder has its key elsewhere, say so by hashKey in the config, or by POD_NAMESPACE';

function explainWorkloads({ workloads, keyProblem, keySecret }: WorkloadsView, now: number): string[] {
  const isOther = keyProblem === undefined && workloads.some(({ state }) => state === 'otherKey');
  const sorted = workloads
    .map((workload) => ({ workload, ref: workloadKey(workload.facts.ref) }))
    .sort((a, b) => (a.ref < b.ref ? -1 : 1));
  return [
    ...(keyProblem === undefined ? [] : [`no hash key: ${keyProblem.sentence}`]),
    ...(isOther ? [`not all was hashed with the key in the Secret ${keySecret}: ${otherKey}`] : []),
    ...sorted.map(({ workload }) => explainWorkload(workload, now)),
    ...(sorted.length === 0 ? ['restart control looks after no workload that is watched'] : []),
  ];
}

/** What a complete list of every stream says. */
export interface ClusterView {
  readonly weeder: Weeder;
  /** How many pods each podSelector selects, by its canonical text. */
  readonly pods: ReadonlyMap<string, PodCounts>;
}

/** Reads every stream once, through the same sinks that `run` uses. */
async function lookAtCluster(
  config: Config,
  client: KubeClient,
  namespaces: 'all' | readonly string[],
): Promise<Result<ClusterView>> {
  const weeder = createWeeder({
    config,
    runtime: { clock: systemClock },
    deletePod: deleteNothing,
    readySince: async () => undefined,
    report: () => {},
    concurrentDeletions: 1,
    isDryRun: true,
    random: Math.random,
  });
  const pods = new Map([...distinctSelectors(config)].map(([text, selector]) => [text, countPods(selector)]));
  for (const stream of streamsOf(weeder, config, namespaces)) {
    const counted = counting(stream, pods);
    const list = await readOnce(client, counted);
    if (!list.ok) return list;
  }
  return ok({ weeder, pods });
}

async function readOnce(client: KubeClient, stream: StreamNeed): Promise<Result<undefined>> {
  const list = await listPages(client, stream, AbortSignal.timeout(60_000));
  if (list.ok) return ok(undefined);
  const advice = describeFailure(list.failure, client.server);
  return failed(problem('CLUSTER_UNREACHABLE', `Cannot read ${stream.name}:`, advice));
}

/** The stream of one selector is counted for that one, the stream of all pods for every one. */
function counting(stream: StreamNeed, pods: ReadonlyMap<string, PodCounts>): StreamNeed {
  if (stream.kind !== 'Pod') return stream;
  const wanted = [...pods].filter(([text]) => stream.labelSelector === '' || stream.labelSelector === text);
  return { ...stream, sink: wanted.reduce((sink, [, counts]) => counts.beside(sink), stream.sink) };
}
