import { arrayOf, type JsonObject, numberOf, objectOf, textOf, truncate } from '@weeder/kube-runtime/base';
import { trueConditions } from '@weeder/kube-runtime/objects';
import { printable } from '../../base/printable.ts';
import { type Kind, scaling } from './kind.ts';
import { replicaStatus, type WorkloadStatus } from './workloadStatus.ts';

/** A message may quote a whole response of the API server. Bytes. */
const longestMessage = 300;

export const deployment: Kind = {
  templatePath: ['spec', 'template'],
  sharesTemplate: true,
  restart: 'rollout',
  isPaused: (spec) => spec['paused'] === true,
  updateStrategy: (spec) => (objectOf(spec['strategy'])['type'] === 'Recreate' ? 'recreate' : 'rolling'),
  replicas: (spec) => numberOf(spec['replicas']) ?? 1,
  status: deploymentStatus,
  hasEndedUpdate: () => true,
  // Its ReplicaSets create the pods, and are known by their names. One that it has adopted labels its pods with no hash.
  isOwner: ({ name }, { owner, templateHash, rolloutHash }) =>
    owner?.kind === 'ReplicaSet' &&
    rolloutHash === undefined &&
    (templateHash === undefined || owner.name === `${name}-${templateHash}`),
  // No status names the ReplicaSet of the newest pods.
  hasOlderTemplate: () => false,
  waitsForEachPod: false,
  reportsByEvents: false,
  emptying: scaling,
};

/** Also of a kind whose controller was made from that of Deployments. */
export function deploymentStatus(status: JsonObject): WorkloadStatus {
  return { ...replicaStatus(status), isOverdue: isOverdue(status), replicaFailure: replicaFailureIn(status) };
}

function isOverdue(status: JsonObject): boolean {
  return arrayOf(status['conditions']).some((each) => objectOf(each)['reason'] === 'ProgressDeadlineExceeded');
}

function replicaFailureIn(status: JsonObject): string | undefined {
  const failure = trueConditions(status).find(({ type }) => type === 'ReplicaFailure');
  if (failure === undefined) return undefined;
  const text = [textOf(failure['reason']), textOf(failure['message'])].filter((each) => each !== undefined).join(': ');
  return printable(truncate(text, longestMessage));
}
