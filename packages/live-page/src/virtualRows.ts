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
  let placed: readonly Item[] = [];
  let average = firstGuess;

  const heightOf = (item: Item): number => heights.get(keyOf(item)) ?? average;

  function measure(): void {
    for (const item of placed) {
      const height = rows.get(keyOf(item))?.element.getBoundingClientRect().height ?? 0;
      if (height > 0) heights.set(keyOf(item), height);
    }
    if (heights.size > 0) average = sumOf([...heights.values()]) / heights.size;
  }

  function draw(): void {
    const start = above.element.getBoundingClientRect().top;
    const from = pass(0, -beyond - start);
    const to = pass(from, innerHeight + 2 * beyond);
    placed = items.slice(from, to);
    rows.place(placed);
    // The row of the heads is the first.
    for (const [index, item] of placed.entries())
      setNumber(rows.get(keyOf(item))?.element, 'aria-rowindex', from + index + 2);
    measure();
    above.set(heightOfAll(items.slice(0, from)));
    below.set(heightOfAll(items.slice(to)));
  }

  function heightOfAll(all: readonly Item[]): number {
    return sumOf(all.map(heightOf));
  }

  /** From the item `first` on, returns the index of the first item after this distance. */
  function pass(first: number, distance: number): number {
    let [index, height] = [first, 0];
    for (let item = items[index]; item !== undefined; item = items[index]) {
      const next = height + heightOf(item);
      if (next > distance) break;
      height = next;
      index += 1;
    }
    return index;
  }

  const drawSoon = onceAFrame(draw);
  addEventListener('scroll', drawSoon, { passive: true });
  addEventListener('resize', () => {
    heights.clear();
    drawSoon();
  });
  return {
    ...rows,
    place(newItems) {
      items = newItems;
      setNumber(table, 'aria-rowcount', items.length + 1);
      draw();
    },
  };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
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
