import { breakerValues, current, namespaceOf, restartSection, troubled } from '../../../support/scene/workloads.ts';
import type { Cleanup } from '../cleanup.ts';
import { eventually } from '../eventually.ts';
import { newNamespace } from '../namespace.ts';
import { patchPodStatus } from '../observer/statuses.ts';
import type { Cluster } from '../plane/access.ts';
import { healthy, startRemoteKubelet } from '../plane/remoteKubelet.ts';
import { specOf } from '../restart/workloadOptions.ts';
import { podsOf } from '../restart/workloads.ts';
import type { RunningWeeder } from '../weeder.ts';
import { closedWindow, tomorrow } from '../windows.ts';

const hashAnnotation = 'weeder.dev/dependencies-hash';
const workloads = [...troubled, ...current];

/** The section `restartControl`: without pauses, and without the end of a rollout that makes no progress. */
export function workloadsSection(): object {
  const pace = { quietPeriod: '0s', minInterval: '0s', stallAfter: '1h', progressDeadline: '1h' };
  return { ...restartSection(pace, [closedWindow()]), hashKey: { namespace: 'shop' } };
}

/**
 * The workloads of the scene on a real API server, with a simulated kubelet for their pods. Those that are current at
 * the end have no pods.
 */
export async function createOutageWorkloads(t: Cleanup, cluster: Cluster) {
  const [shop, night] = await Promise.all([newNamespace(cluster, 'shop', t), newNamespace(cluster, 'night', t)]);
  const homeOf = (workload: string) => (namespaceOf(workload) === shop.name ? shop : night);
  for (const { name: namespace } of [shop, night])
    await startRemoteKubelet(t, {
      cluster,
      namespace,
      program: ({ metadata: { labels = {}, annotations = {} } }) => {
        const isStuck = ['rolling', 'stalled'].includes(labels['workload'] ?? '') && hashAnnotation in annotations;
        return isStuck ? { ...healthy, readyAfter: 3_600_000 } : healthy;
      },
    });
  await Promise.all(
    workloads.map(async (name) => {
      const home = homeOf(name);
      await cluster.api('POST', home.path('api/v1', 'configmaps'), { metadata: { name }, data: { a: '0' } });
      const env = [{ name: 'VALUE', valueFrom: { configMapKeyRef: { name, key: 'a' } } }];
      const annotations = name === 'paused' ? { 'weeder.dev/paused-until': tomorrow() } : {};
      const replicas = troubled.includes(name) ? 1 : 0;
      const spec = specOf('Deployment', name, home, { uses: { env }, spec: { replicas } });
      await cluster.api('POST', home.path('apis/apps/v1', 'deployments'), { metadata: { name, annotations }, spec });
    }),
  );

  const workloadOf = (name: string) => ({ workload: `deployment/${name}` });
  const change = (name: string, a: string) =>
    cluster.api('PATCH', homeOf(name).path('api/v1', 'configmaps', name), { data: { a } });

  /** Repeatedly, because the simulated kubelet overwrites the status. */
  async function stall({ log }: Pick<RunningWeeder, 'log'>): Promise<void> {
    const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image' };
    const status = { name: 'main', image: '', imageID: '', restartCount: 0, ready: false, state: { waiting } };
    await change('stalled', '1');
    await eventually(
      async () => {
        const pods = await podsOf(shop, { workload: 'stalled' });
        const started = pods.find(({ metadata: { annotations = {} } }) => hashAnnotation in annotations);
        if (started !== undefined) await patchPodStatus(shop, started.metadata.name, { containerStatuses: [status] });
        return log.find('rollout stalled', workloadOf('stalled')).length > 0;
      },
      { what: 'a rollout that is reported as stalled' },
    );
  }

  return {
    shop,
    async untilAdopted({ log }: Pick<RunningWeeder, 'log'>) {
      await log.until('workload adopted, nothing restarts', {}, { count: workloads.length });
    },
    /** Brings each into its state, one after the other: only one may roll out at a time. */
    async breakThem(weeder: Pick<RunningWeeder, 'log'>) {
      const { log } = weeder;
      for (const [index, value] of breakerValues.entries()) {
        await change('breaker', value);
        if (index < breakerValues.length - 1)
          await log.until(/^workload rolled out/, workloadOf('breaker'), { count: index + 1 });
      }
      await log.until('restart blocked', workloadOf('breaker'));
      await stall(weeder);
      await cluster.api('DELETE', shop.path('api/v1', 'configmaps', 'blocked'));
      await change('paused', '1');
      await change('night', '1');
      await change('rolling', '1');
      await log.until(/^workload restarted/, workloadOf('rolling'));
      await change('slot', '1');
    },
  };
}
