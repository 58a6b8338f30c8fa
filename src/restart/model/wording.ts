import type { SourceChange } from './events.ts';
import type { SourceRef, WorkloadRef } from './refs.ts';

/** More of them are counted, so that a sentence stays one. */
const mostNames = 5;

/** `ConfigMap settings (keys a, b) and Secret password`; with its namespace where that is another one. */
export function changesInWords(changes: readonly SourceChange[], { namespace }: WorkloadRef): string {
  return listed(changes.map(({ source, keys }) => `${sourceInWords(source, namespace)}${keysInWords(keys)}`));
}

/** `ConfigMap settings`, or `ConfigMap other/settings` seen from another namespace. */
export function sourceInWords({ kind, namespace, name }: SourceRef, seenFrom: string): string {
  return `${kind} ${namespace === seenFrom ? name : `${namespace}/${name}`}`;
}

/** A sentence that ends as one. */
export function ended(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

function keysInWords(keys: readonly string[]): string {
  if (keys.length === 0) return '';
  return ` (${keys.length === 1 ? 'key' : 'keys'} ${listed(keys, ', ')})`;
}

function listed(names: readonly string[], last = ' and '): string {
  if (names.length > mostNames) return `${names.slice(0, mostNames).join(', ')} and ${names.length - mostNames} more`;
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')}${last}${names.at(-1)}`;
}
