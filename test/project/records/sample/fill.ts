export function fill(names: Set<string>): void {
  names.add('11');
}
