import { parseArgs } from 'node:util';
import { arrayOf, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import type { KubeClient } from '@weeder/kube-runtime/client';
import { apiPath, labelsOf, matchesSelector, parseSelector } from '@weeder/kube-runtime/objects';
import { namespacesInWords } from '../../controller/namespacesInWords.ts';
import type { NamespaceSelection } from '../../controller/ownedNamespaces.ts';
import { usualNamespace } from '../flags/statusFlags.ts';
import { weederContainer, weederLabel } from '../version/runningWeeders.ts';

/** The namespaces in which the weeder of the cluster acts, as its flags say. */
interface SelectedNamespaces extends NamespaceSelection {
  readonly watched: 'all' | readonly string[];
  readonly inWords: string;
}

/** Undefined: all of them, or no weeder is installed in the usual namespace, or its pods may not be read. */
export async function selectedNamespaces({ call }: Pick<KubeClient, 'call'>): Promise<SelectedNamespaces | undefined> {
  const query = { labelSelector: weederLabel, limit: 1 };
  const list = await call({ method: 'GET', path: apiPath('v1', 'pods', { namespace: usualNamespace }), query });
  const [pod] = list.ok ? arrayOf(objectOf(list.body)['items']).map(objectOf) : [];
  return pod === undefined ? undefined : selectedBy(objectOf(pod['spec']));
}

function selectedBy(spec: JsonObject): SelectedNamespaces | undefined {
  const names = { type: 'string', multiple: true } as const;
  const { values } = parseArgs({
    args: arrayOf(weederContainer(spec)['args']).flatMap((each) => textOf(each) ?? []),
    options: { namespaces: names, 'except-namespaces': names, 'namespace-selector': { type: 'string' } },
    // The other flags are not interpreted.
    strict: false,
  });
  const listed = (flag: unknown) => arrayOf(flag).flatMap((each) => textOf(each)?.split(',') ?? []);
  const text = textOf(values['namespace-selector']);
  const selector = text === undefined ? undefined : parseSelector(text);
  const watched = listed(values['namespaces']);
  const selection = {
    selector: selector?.ok ? selector.value : undefined,
    except: listed(values['except-namespaces']),
  };
  if (watched.length === 0 && selection.selector === undefined && selection.except.length === 0) return undefined;
  const from = watched.length === 0 ? ('all' as const) : watched;
  return { ...selection, watched: from, inWords: namespacesInWords(from, selection) };
}

/** Whether the weeder of the cluster acts in the namespace. */
export async function isSelected(
  { selector, except, watched }: SelectedNamespaces,
  namespace: string,
  { call }: Pick<KubeClient, 'call'>,
): Promise<boolean> {
  if (except.includes(namespace) || (watched !== 'all' && !watched.includes(namespace))) return false;
  if (selector === undefined) return true;
  const read = await call({ method: 'GET', path: apiPath('v1', 'namespaces', { name: namespace }) });
  // Without the permission to read it the namespace is taken for selected: the rest of the answer then holds.
  return !read.ok || matchesSelector(selector, labelsOf(read.body));
}
