import { numberOf } from '@weeder/kube-runtime/base';
import { isController, type Kind, scaling } from './kind.ts';
import { updateStrategy } from './statefulSet.ts';
import { replicaStatus } from './workloadStatus.ts';

/** A kind of any other group: it creates its pods itself, and has the common fields of spec and status. */
export const standard: Kind = {
  templatePath: ['spec', 'template'],
  restart: 'rollout',
  isPaused: (spec) => spec['paused'] === true,
  updateStrategy,
  replicas: (spec) => numberOf(spec['replicas']) ?? 1,
  status: replicaStatus,
  hasEndedUpdate: () => true,
  isOwner: isController,
  hasOlderTemplate: () => false,
  waitsForEachPod: false,
  reportsByEvents: true,
  emptying: scaling,
};
