import { arrayOf, type JsonObject, numberOf, objectOf, textOf } from '@weeder/kube-runtime/base';
import { isController, type Kind, scaling, type UpdateStrategy } from './kind.ts';
import { replicaStatus } from './workloadStatus.ts';

/** Of OpenKruise. */
export const cloneSet: Kind = {
  templatePath: ['spec', 'template'],
  restart: 'rollout',
  isPaused: (spec) => objectOf(spec['updateStrategy'])['paused'] === true,
  updateStrategy,
  replicas: (spec) => numberOf(spec['replicas']) ?? 1,
  status: (status) => ({ ...replicaStatus(status), updateRevision: textOf(status['updateRevision']) }),
  hasEndedUpdate: () => true,
  isOwner: isController,
  // The label has the whole revision or only the hash at its end.
  hasOlderTemplate: ({ revision = '' }, { updateRevision }) =>
    updateRevision !== revision && updateRevision?.endsWith(`-${revision}`) !== true,
  waitsForEachPod: false,
  reportsByEvents: true,
  emptying: { ...scaling, losesVolumes: (spec) => arrayOf(spec['volumeClaimTemplates']).length > 0 },
};

function updateStrategy(spec: JsonObject): UpdateStrategy {
  const { type = 'ReCreate', partition } = objectOf(spec['updateStrategy']);
  if (type !== 'ReCreate') return 'inPlace';
  const kept = partitionOf(partition, numberOf(spec['replicas']) ?? 1);
  return kept > 0 ? { partition: kept, isCount: true } : 'rolling';
}

/** The number of pods that keep their template: a number, or a percentage of which less than 100% replaces at least one. */
function partitionOf(partition: unknown, replicas: number): number {
  const [, percent] = /^(\d+)%$/.exec(textOf(partition) ?? '') ?? [];
  if (percent === undefined) return numberOf(partition) ?? 0;
  const kept = Math.ceil((Number(percent) * replicas) / 100);
  return kept >= replicas && Number(percent) < 100 ? Math.max(0, replicas - 1) : kept;
}
