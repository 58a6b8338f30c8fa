/** Sets a key of a map that keeps only its newest `max` keys. */
export function setNewest<K, V>(map: Map<K, V>, key: K, value: V, max: number): void {
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= max) return;
    map.delete(oldest);
  }
}
