import { numberOf, textOf } from '@weeder/kube-runtime/base';
import { deployment, deploymentStatus } from './deployment.ts';
import type { Kind } from './kind.ts';

/** `spec.restartAt` deletes the earlier pods one by one; a new template would begin its canary steps and analyses. */
export const restartTimes = { requested: ['spec', 'restartAt'], ended: ['status', 'restartedAt'] };

/** Of Argo Rollouts. */
export const rollout: Kind = {
  ...deployment,
  templateReference: ['spec', 'workloadRef'],
  sharesTemplate: false,
  restartTimes,
  updateStrategy: () => 'rolling',
  status: (status) => ({
    ...deploymentStatus(status),
    observedGeneration: observedGeneration(status['observedGeneration']),
  }),
  isOwner: ({ name }, { owner, rolloutHash }) =>
    owner?.kind === 'ReplicaSet' && owner.name === `${name}-${rolloutHash}`,
};

/** The text of a number; before version 1.0 a hash, which says nothing about the generation. */
function observedGeneration(value: unknown): number | undefined {
  const text = textOf(value);
  if (text === undefined) return numberOf(value);
  const generation = Number(text);
  return Number.isInteger(generation) ? generation : Number.MAX_SAFE_INTEGER;
}
