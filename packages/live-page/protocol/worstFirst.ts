/** The natural order of names, in which numbers count by their value: `svc-2` before `svc-10`. */
export const compareNames: (a: string, b: string) => number = new Intl.Collator('en', { numeric: true }).compare;

/** The order of a list that may be cut: the lowest rank, which is the worst, first; equal ranks by name. */
export function worstFirst<Item>(
  rankOf: (item: Item) => number,
  nameOf: (item: Item) => string,
): (a: Item, b: Item) => number {
  return (a, b) => rankOf(a) - rankOf(b) || compareNames(nameOf(a), nameOf(b));
}
