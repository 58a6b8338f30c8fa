/** The order of a list that may be cut: the lowest rank, which is the worst, first; equal ranks by name. */
export function worstFirst<Item>(
  rankOf: (item: Item) => number,
  nameOf: (item: Item) => string,
): (a: Item, b: Item) => number {
  return (a, b) => rankOf(a) - rankOf(b) || (nameOf(a) < nameOf(b) ? -1 : 1);
}
