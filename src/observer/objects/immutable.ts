import type { FailureCause } from '@weeder/kube-runtime/client';
import type { Identity } from './identity.ts';

/** The API server's message for an immutable field of some kinds. */
interface ImmutableWords {
  readonly says: RegExp;
  /** The kinds whose messages have it. */
  readonly of: readonly string[];
}

/**
 * The API server has no reason of its own for an immutable field, so weeder matches its messages. A test on a real API
 * server checks each row.
 */
export const immutableWords: readonly ImmutableWords[] = [
  { says: /field is immutable/, of: ['Deployment', 'DaemonSet', 'Job', 'StorageClass', 'ConfigMap', 'Secret'] },
  // Of a StorageClass before Kubernetes 1.36.
  { says: /: updates to \w+ are forbidden\.$/, of: ['VolumeAttributesClass'] },
  { says: /cannot change roleRef/, of: ['RoleBinding'] },
  { says: /may not change once set/, of: ['Service'] },
  { says: /updates to statefulset spec for fields other than/, of: ['StatefulSet'] },
  { says: /is immutable after creation/, of: ['PersistentVolumeClaim'] },
  { says: /pod updates may not change fields other than/, of: ['Pod'] },
  { says: /may not be changed in an update/, of: ['PriorityClass'] },
];

const reasons: ReadonlySet<string> = new Set(['FieldValueInvalid', 'FieldValueForbidden']);

/**
 * Returns true if every cause of a 422 is about an immutable field. If another cause is among them, a new object would
 * be refused, too.
 */
export function isImmutable(causes: readonly FailureCause[]): boolean {
  return causes.length > 0 && causes.every(isAboutImmutable);
}

function isAboutImmutable({ reason, message = '' }: FailureCause): boolean {
  return reasons.has(reason) && immutableWords.some(({ says }) => says.test(message));
}

const neverRecreated: ReadonlySet<string> = new Set([
  '/Namespace',
  '/PersistentVolumeClaim',
  'apiextensions.k8s.io/CustomResourceDefinition',
]);

/**
 * Returns false for kinds whose deletion would delete other objects. They are never recreated, whatever the application
 * allows.
 */
export function canBeRecreated({ group, kind }: Identity): boolean {
  return !neverRecreated.has(`${group}/${kind}`);
}
