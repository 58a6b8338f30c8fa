import { selectorToString } from '@weeder/kube-runtime/objects';
import type { NamespaceSelection } from './ownedNamespaces.ts';

/** The namespaces of a weeder, for users: `all namespaces`, `namespaces with team=web, except kube-system`. */
export function namespacesInWords(
  watched: 'all' | readonly string[],
  selection: NamespaceSelection | undefined,
): string {
  if (watched !== 'all') return `namespaces ${watched.join(', ')}`;
  const { selector, except = [] } = selection ?? {};
  const some = selector === undefined ? 'all namespaces' : `namespaces with ${selectorToString(selector)}`;
  return except.length === 0 ? some : `${some}, except ${except.join(', ')}`;
}
