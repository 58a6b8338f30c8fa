import { type JsonObject, numberOf, objectOf, textOf } from '@weeder/kube-runtime/base';
import { isController, type Kind, scaling, type UpdateStrategy } from './kind.ts';
import { replicaStatus } from './workloadStatus.ts';

export const statefulSet: Kind = {
  templatePath: ['spec', 'template'],
  restart: 'rollout',
  isPaused: () => false,
  updateStrategy,
  replicas: (spec) => numberOf(spec['replicas']) ?? 1,
  status: (status) => ({
    ...replicaStatus(status),
    currentRevision: textOf(status['currentRevision']),
    updateRevision: textOf(status['updateRevision']),
  }),
  hasEndedUpdate: ({ currentRevision, updateRevision }) => updateRevision === currentRevision,
  isOwner: isController,
  hasOlderTemplate: ({ revision }, { updateRevision }) => revision !== updateRevision,
  waitsForEachPod: true,
  reportsByEvents: true,
  emptying: scaling,
};

export function updateStrategy(spec: JsonObject): UpdateStrategy {
  const { type, rollingUpdate } = objectOf(spec['updateStrategy']);
  if (type === 'OnDelete') return 'onDelete';
  const partition = numberOf(objectOf(rollingUpdate)['partition']) ?? 0;
  return partition > 0 ? { partition } : 'rolling';
}
