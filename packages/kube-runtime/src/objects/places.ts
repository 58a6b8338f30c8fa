/** The namespaces one by one; undefined: the whole cluster. */
export function placesOf(namespaces: 'all' | readonly string[]): readonly (string | undefined)[] {
  return namespaces === 'all' ? [undefined] : [...new Set(namespaces)];
}

/** The part of a stream's name that names the namespace; empty for the whole cluster. */
export function placeSuffix(namespace: string | undefined): string {
  return namespace === undefined ? '' : ` in ${namespace}`;
}
