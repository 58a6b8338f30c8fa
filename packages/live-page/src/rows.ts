/**
 * The children of an element, by key. While an item is shown, its element stays the same and is not moved without need,
 * so that it keeps the focus.
 */
export interface Rows<Item, Row> {
  readonly get: (key: string) => Row | undefined;
  readonly all: () => Iterable<Row>;
  /** Shows these items in this order. */
  place(items: readonly Item[]): void;
}

interface RowsOptions<Item, Row> {
  readonly parent: Element;
  readonly keyOf: (item: Item) => string;
  readonly create: (item: Item) => Row;
  /** Called for each item that is placed. */
  readonly update?: (row: Row, item: Item) => void;
}

export function createRows<Item, Row extends { readonly element: Element }>({
  parent,
  keyOf,
  create,
  update,
}: RowsOptions<Item, Row>): Rows<Item, Row> {
  const rows = new Map<string, Row>();

  return {
    get: (key) => rows.get(key),
    all: () => rows.values(),
    place(items) {
      const keys = new Set(items.map(keyOf));
      for (const [key, { element }] of rows) {
        if (keys.has(key)) continue;
        element.remove();
        rows.delete(key);
      }
      let next = parent.firstElementChild;
      for (const item of items) {
        const key = keyOf(item);
        const row = rows.get(key) ?? create(item);
        rows.set(key, row);
        update?.(row, item);
        if (row.element === next) next = next.nextElementSibling;
        else parent.insertBefore(row.element, next);
      }
    },
  };
}
