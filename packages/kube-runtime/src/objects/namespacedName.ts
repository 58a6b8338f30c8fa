/** A name in a namespace. */
interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** The key of a namespaced object, and how messages name it: `shop/postgres`. Neither part can contain the separator. */
export function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

/** How messages name an object of any kind: `Deployment shop/web`. */
export function objectText({ kind, namespace, name }: NamespacedName & { readonly kind: string }): string {
  return `${kind} ${namespace}/${name}`;
}

/** The parts of such a key. */
export function partsOf(key: string): NamespacedName {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name };
}
