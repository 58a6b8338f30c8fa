/** The number of names in a message. */
const maxNamed = 5;

/** `a, b and 3 more`: the first names and the number of the others. */
export function listed(names: readonly string[]): string {
  const more = names.length - maxNamed;
  if (more > 0) return `${names.slice(0, maxNamed).join(', ')} and ${more} more`;
  return names.join(', ');
}

/** `Not applied: a, b.` Without names, only the heading. */
export function summaryOf(heading: string, names: readonly string[]): string {
  return names.length === 0 ? `${heading}.` : `${heading}: ${listed(names)}.`;
}
