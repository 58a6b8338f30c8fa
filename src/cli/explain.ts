import { systemClock } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { distinctSelectors } from '../config/selectors.ts';
import { failed, ok, problem, type Result } from '../errors.ts';
import type { KubeClient } from '../kube/client.ts';
import { describeFailure } from '../kube/describeFailure.ts';
import { listPages } from '../kube/pagedList.ts';
import type { StreamNeed } from '../kube/streamNeed.ts';
import { deleteNothing } from '../weeder/deletePod.ts';
import { streamsOf } from '../weeder/streams.ts';
import { createWeeder, type Weeder } from '../weeder/weeder.ts';
import { loadConfig } from './configFile.ts';
import { connect } from './connect.ts';
import { explainService } from './explainService.ts';
import { exitCodes, fail } from './output.ts';
import { countPods, type PodCounts } from './podCounts.ts';
import type { ClusterFlags } from './runFlags.ts';

/** Somebody waits for the answer: an API server that is away is told within seconds, and once. */
const impatient = { apiServerTimeout: 5000, onWaiting: () => {}, signal: new AbortController().signal };

/** `weeder explain`: what weeder sees of each configured service now, and what it would do in a window. */
export async function explain(flags: ClusterFlags & { readonly configFile?: string }): Promise<number> {
  const config = await loadConfig('explain', flags.configFile);
  if (!config.ok) return fail(config.problem);
  const client = await connect({ ...flags, ...impatient }, systemClock);
  if (!client.ok) return fail(client.problem);
  const view = await lookAtCluster(config.value, client.value, flags.namespaces ?? 'all');
  await client.value.close();
  if (!view.ok) return fail(view.problem);
  const services = [...config.value.services.values()];
  process.stdout.write(`${services.map((service) => explainService(service, view.value)).join('\n\n')}\n`);
  return exitCodes.ok;
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
    const list = await listPages(client, counted, AbortSignal.timeout(60_000));
    if (!list.ok) {
      return failed(
        problem('CLUSTER_UNREACHABLE', `Cannot read ${stream.name}:`, describeFailure(list.failure, client.server)),
      );
    }
  }
  return ok({ weeder, pods });
}

/** The stream of one selector is counted for that one, the stream of all pods for every one. */
function counting(stream: StreamNeed, pods: ReadonlyMap<string, PodCounts>): StreamNeed {
  if (stream.kind !== 'Pod') return stream;
  const wanted = [...pods].filter(([text]) => stream.labelSelector === '' || stream.labelSelector === text);
  return { ...stream, sink: wanted.reduce((sink, [, counts]) => counts.beside(sink), stream.sink) };
}
