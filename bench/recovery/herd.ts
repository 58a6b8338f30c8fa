import { startControlPlane } from '../../test/cluster/support/plane/controlPlane.ts';
import { type Observing, startObserving } from '../support/observing.ts';
import { startWeederProgram, weederProgram } from '../support/programs.ts';
import { buildScene, podLabels, type Scene, service } from '../support/scene.ts';
import { mostWithin, rounded } from '../support/statistics.ts';
import type { HerdCase } from './herdResults.ts';

const paces: readonly HerdCase['pace'][] = [undefined, { pods: 50, per: '1s' }];
const deletionTimeoutMs = 120_000;

/** Measures the deletions of all dependants of one service, with and without a pace. */
export async function measureHerd(pods: number, log: (line: string) => void): Promise<HerdCase[]> {
  // Without controllers, only the benchmark itself creates and deletes pods.
  const cluster = await startControlPlane({ controllerManager: false });
  try {
    const scene = await buildScene(cluster, 1, pods);
    const observing = await startObserving(cluster, `role=${podLabels.role}`);
    const cases: HerdCase[] = [];
    for (const pace of paces) {
      const podsByUid = await scene.breakDown();
      const weeder = await startWeederProgram({
        program: await weederProgram(),
        dir: cluster.dir,
        kubeconfig: cluster.kubeconfigFor('admin'),
        config: {
          servicesAndDependantSelectors: {
            [service]: { podSelectors: [{ matchLabels: podLabels }], ...(pace === undefined ? {} : { pace }) },
          },
        },
      });
      const times = await recover(scene, observing, [...podsByUid.keys()]);
      await weeder.kill();
      const herdCase = { pods, ...(pace === undefined ? {} : { pace }), ...times };
      log(JSON.stringify(herdCase));
      cases.push(herdCase);
    }
    observing.stop();
    return cases;
  } finally {
    await cluster.stop();
  }
}

async function recover(
  scene: Scene,
  observing: Observing,
  uids: readonly string[],
): Promise<Pick<HerdCase, 'total' | 'mostInOneSecond'>> {
  const awaited = observing.untilDeleted(uids, deletionTimeoutMs);
  const readyAt = await scene.recover();
  const deletedAt = [...(await awaited).values()];
  if (deletedAt.length < uids.length) throw new Error(`only ${deletedAt.length} of ${uids.length} pods were deleted`);
  return {
    total: rounded(Math.max(...deletedAt) - Math.min(...readyAt.values())),
    mostInOneSecond: mostWithin(deletedAt, 1000),
  };
}
