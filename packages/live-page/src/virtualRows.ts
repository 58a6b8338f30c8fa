import { onceAFrame } from './dom.ts';
import { createRows, type Rows } from './rows.ts';

interface VirtualRowsOptions<Item, Row> {
  readonly table: HTMLTableElement;
  readonly keyOf: (item: Item) => string;
  readonly create: (item: Item) => Row;
  /** Called for each item that is placed in the page. */
  readonly update?: (row: Row, item: Item) => void;
}

/** Rows above and below the visible part, so that the next one can get the focus; pixels. */
const beyond = 400;
const firstGuess = 40;
/** Sums of heights are not exact; pixels. */
const tolerance = 0.01;

/**
 * The rows of a table, of which only the visible ones are in the page. The height of the others is known from when they
 * were visible, or estimated. The window scrolls, not the table.
 */
export function createVirtualRows<Item, Row extends { readonly element: HTMLElement }>({
  table,
  ...options
}: VirtualRowsOptions<Item, Row>): Rows<Item, Row> {
  const { keyOf } = options;
  const body = table.tBodies[0] ?? table.createTBody();
  const [above, below] = [createSpace(), createSpace()];
  body.before(above.element);
  body.after(below.element);
  const rows = createRows({ parent: body, ...options });
  const heights = new Map<string, number>();
  let items: readonly Item[] = [];
  /** Where each item begins below the first one, and where the last one ends. */
  let tops: readonly number[] = [0];
  let placed = { from: 0, to: 0 };

  /** Takes the heights that are known. Not for each frame: it looks at all items. */
  function layOut(): void {
    const average = heights.size === 0 ? firstGuess : heights.values().reduce((sum, each) => sum + each) / heights.size;
    let top = 0;
    tops = [0, ...items.map((item) => (top += heights.get(keyOf(item)) ?? average))];
  }

  /** Whether a placed row has another height than it had, or was estimated to have. */
  function measure(): boolean {
    const { from, to } = placed;
    const changed = items.slice(from, to).filter((item, index) => {
      const height = rows.get(keyOf(item))?.element.getBoundingClientRect().height ?? 0;
      if (height > 0) heights.set(keyOf(item), height);
      return height > 0 && Math.abs(topAt(from + index) + height - topAt(from + index + 1)) > tolerance;
    });
    return changed.length > 0;
  }

  function draw(): void {
    const start = above.element.getBoundingClientRect().top;
    const from = itemAt(-beyond - start);
    const to = itemAt(topAt(from) + innerHeight + 2 * beyond);
    placed = { from, to };
    rows.place(items.slice(from, to));
    // The row of the heads is the first.
    for (const [index, item] of items.slice(from, to).entries())
      setNumber(rows.get(keyOf(item))?.element, 'aria-rowindex', from + index + 2);
    if (measure()) layOut();
    above.set(topAt(from));
    below.set(topAt(items.length) - topAt(to));
  }

  function topAt(index: number): number {
    return tops[index] ?? 0;
  }

  /** The last item that begins at this distance or above. */
  function itemAt(distance: number): number {
    let [low, high] = [0, items.length];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (topAt(middle) > distance) high = middle - 1;
      else low = middle;
    }
    return low;
  }

  const drawSoon = onceAFrame(draw);
  addEventListener('scroll', drawSoon, { passive: true });
  addEventListener('resize', () => {
    heights.clear();
    layOut();
    drawSoon();
  });
  return {
    ...rows,
    place(newItems) {
      items = newItems;
      setNumber(table, 'aria-rowcount', items.length + 1);
      layOut();
      draw();
    },
  };
}

/** Sets the attribute if it differs. */
function setNumber(element: HTMLElement | undefined, name: string, value: number): void {
  if (element?.getAttribute(name) !== String(value)) element?.setAttribute(name, String(value));
}

/** A part of a table that has a height and no content. */
function createSpace() {
  const element = document.createElement('tbody');
  element.setAttribute('aria-hidden', 'true');
  let shown = 0;
  return {
    element,
    set(height: number): void {
      const rounded = Math.round(height);
      if (rounded !== shown) element.style.height = `${rounded}px`;
      shown = rounded;
    },
  };
}
