/** Whether all names are meant, or a list that contains this one. */
export function includesName(names: 'all' | readonly string[], name: string): boolean {
  return names === 'all' || names.includes(name);
}

/** The namespaces that a setting such as `dependantNamespaces` means for an object in the namespace `home`. */
export function scopeFrom(namespaces: 'same' | 'all' | readonly string[], home: string): 'all' | readonly string[] {
  return namespaces === 'same' ? [home] : namespaces;
}
