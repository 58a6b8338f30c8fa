import type { FailureCause } from '../../kube/client/failure.ts';
import type { Identity } from './identity.ts';

/** A kind of object, and how the API server says of it that a field can never be changed. */
interface ImmutableWords {
  readonly says: string;
  /** Where it has been seen. */
  readonly of: readonly string[];
}

/**
 * The API server has no reason of its own for an immutable field: what is left are its words. One table, and a
 * test on a real API server for each row.
 */
export const immutableWords: readonly ImmutableWords[] = [
  { says: 'field is immutable', of: ['Deployment', 'DaemonSet', 'Job', 'StorageClass', 'ConfigMap', 'Secret'] },
  { says: 'cannot change roleRef', of: ['RoleBinding'] },
  { says: 'may not change once set', of: ['Service'] },
  { says: 'updates to statefulset spec for fields other than', of: ['StatefulSet'] },
  { says: 'is immutable after creation', of: ['PersistentVolumeClaim'] },
  { says: 'pod updates may not change fields other than', of: ['Pod'] },
  { says: 'may not be changed in an update', of: ['PriorityClass'] },
];

const reasons: ReadonlySet<string> = new Set(['FieldValueInvalid', 'FieldValueForbidden']);

/**
 * Whether a 422 says that nothing but a new object could have these values: each of its causes is about a field that
 * can never be changed. Where one is not, a new object would be refused like the old one.
 */
export function isImmutable(causes: readonly FailureCause[]): boolean {
  return causes.length > 0 && causes.every(isAboutImmutable);
}

function isAboutImmutable({ reason, message = '' }: FailureCause): boolean {
  return reasons.has(reason) && immutableWords.some(({ says }) => message.includes(says));
}

const neverRecreated: ReadonlySet<string> = new Set([
  '/Namespace',
  '/PersistentVolumeClaim',
  'apiextensions.k8s.io/CustomResourceDefinition',
]);

/** Whether it may be deleted and recreated at all, whatever the application allows: what would take others along, never. */
export function canBeRecreated({ group, kind }: Identity): boolean {
  return !neverRecreated.has(`${group}/${kind}`);
}
