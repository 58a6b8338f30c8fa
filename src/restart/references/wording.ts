import { objectText } from '@weeder/kube-runtime/objects';
import type { SourceChange } from './events.ts';
import type { SourceRef, WorkloadRef } from './refs.ts';
import { workloadAnnotations } from './workloadSummary.ts';

/** Further names are only counted, so that a sentence stays short. */
const maxNames = 5;

/** Returns `ConfigMap settings (keys a, b) and Secret password`; a source of another namespace has its namespace. */
export function describeChanges(changes: readonly SourceChange[], { namespace }: WorkloadRef): string {
  return listed(changes.map(({ source, keys }) => `${describeSource(source, namespace)}${describeKeys(keys)}`));
}

/** Returns `ConfigMap settings`, or `ConfigMap other/settings` for a source of another namespace. */
export function describeSource(source: SourceRef, seenFrom: string): string {
  return source.namespace === seenFrom ? `${source.kind} ${source.name}` : objectText(source);
}

/** The line of a manifest by which a workload opts in or out. */
export function optInLine(value: boolean): string {
  return `${workloadAnnotations.optIn}: "${value}"`;
}

function describeKeys(keys: readonly string[]): string {
  if (keys.length === 0) return '';
  return ` (${keys.length === 1 ? 'key' : 'keys'} ${listed(keys, ', ')})`;
}

/** Returns `a, b and c`; of many names, the first ones and the number of the others. */
export function listed(names: readonly string[], last = ' and '): string {
  if (names.length > maxNames) return `${names.slice(0, maxNames).join(', ')} and ${names.length - maxNames} more`;
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')}${last}${names.at(-1)}`;
}
