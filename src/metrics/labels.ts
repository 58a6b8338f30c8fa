/** The label value for every value beyond the limit. */
const overflow = 'other';

/**
 * Passes at most `max` different label values through; all later ones become `other`. This bounds the number of
 * series, whatever a config or a server contains.
 */
export function limitedLabel(max: number): (value: string) => string {
  const values = new Set<string>();
  return (value) => {
    if (values.has(value)) return value;
    if (values.size >= max) return overflow;
    values.add(value);
    return value;
  };
}

/** Converts a name of the code into a label value: `barePod` becomes `bare_pod`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
