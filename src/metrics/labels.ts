/** What stands in a label for every value beyond the limit. */
const overflow = 'other';

/**
 * Passes label values through, at most `most` different ones: those that come first keep their name, all later ones
 * are `other`. So whatever a config or a server says, the number of series has a bound.
 */
export function limitedLabel(most: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= most) return overflow;
    known.add(value);
    return value;
  };
}

/** The value of a label for a name of the code: `barePod` becomes `bare_pod`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
