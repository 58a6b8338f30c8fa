/** Whoever asks for the same while it is under way gets the same answer. Errors are for `make` to turn into values. */
export function once<K, V>(make: (key: K) => Promise<V>): (key: K) => Promise<V> {
  const underWay = new Map<K, Promise<V>>();
  return (key) => {
    const found = underWay.get(key);
    if (found !== undefined) return found;
    const made = make(key).finally(() => underWay.delete(key));
    underWay.set(key, made);
    return made;
  };
}
