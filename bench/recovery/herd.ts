import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startControlPlane } from '../../test/cluster/support/plane/controlPlane.ts';
import { auditReader } from '../../test/soak/audit.ts';
import { startObserving } from '../support/observing.ts';
import { startWeederProgram, weederProgram } from '../support/programs.ts';
import { buildScene, podLabels, service } from '../support/scene.ts';
import { mostWithin, rounded } from '../support/statistics.ts';
import type { HerdCase } from './herdResults.ts';

const paces: readonly HerdCase['pace'][] = [undefined, { pods: 50, per: '1s' }];
/** Records each DELETE of a pod. */
const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata', verbs: ['delete'], resources: [{ group: '', resources: ['pods'] }] }, { level: 'None' }],
};
const deletionTimeoutMs = 120_000;

/** Measures the deletions of all dependants of one service, with and without a pace. */
export async function measureHerd(pods: number, log: (line: string) => void): Promise<HerdCase[]> {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-herd-'));
  const [policy, auditLog] = [join(folder, 'policy.json'), join(folder, 'audit.log')];
  writeFileSync(policy, JSON.stringify(auditPolicy));
  const apiServerFlags = [`--audit-policy-file=${policy}`, `--audit-log-path=${auditLog}`];
  // Without controllers, only the benchmark itself creates and deletes pods.
  const cluster = await startControlPlane({ controllerManager: false, apiServerFlags });
  try {
    const scene = await buildScene(cluster, 1, pods);
    const observing = await startObserving(cluster, `role=${podLabels.role}`);
    const readAudit = auditReader(auditLog);
    const cases: HerdCase[] = [];
    for (const pace of paces) {
      const uids = [...(await scene.breakDown()).keys()];
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
      const awaited = observing.untilDeleted(uids, deletionTimeoutMs);
      const readyAt = await scene.recover();
      const deletedAt = [...(await awaited).values()];
      await weeder.kill();
      if (deletedAt.length < pods) throw new Error(`only ${deletedAt.length} of ${pods} pods were deleted`);
      const received = (await readAudit()).map(({ at }) => at);
      const herdCase = {
        pods,
        ...(pace === undefined ? {} : { pace }),
        total: rounded(Math.max(...deletedAt) - Math.min(...readyAt.values())),
        mostInOneSecond: mostWithin(received, 1000),
      };
      log(JSON.stringify(herdCase));
      cases.push(herdCase);
    }
    observing.stop();
    return cases;
  } finally {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
