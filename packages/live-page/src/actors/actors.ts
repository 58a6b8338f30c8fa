import { addControl, machineAddress } from '../address.ts';
import { byId, onceAFrame, setText } from '../dom.ts';
import { count } from '../format.ts';
import { createActorPages } from './actorPages.ts';
import { type ActorRow, createActorRow, rowHeight } from './actorRow.ts';

interface Actors {
  /** Requests the shown rows again. */
  refresh(): void;
}

/** Rows that are rendered outside the visible part, on each side. */
const beyond = 8;

/** The list of actors. Only the visible rows are rendered, because there may be thousands of actors. */
export function createActors(now: () => number): Actors {
  const pages = createActorPages();
  const list = byId('actors-list', HTMLElement);
  const space = byId('actors-space', HTMLElement);
  const search = byId('actors-search', HTMLInputElement);
  const machine = byId('actors-machine', HTMLSelectElement);
  const order = byId('actors-order', HTMLSelectElement);
  const rows = new Map<number, ActorRow>();
  let active = 0;
  const draw = onceAFrame(() => {
    const [from, to] = inSight();
    space.style.height = `${pages.total * rowHeight}px`;
    for (const [index, { element }] of rows) {
      if (index >= from && index < to) continue;
      element.remove();
      rows.delete(index);
    }
    for (let index = from; index < to; index += 1) show(index);
    if (active >= from && active < to) list.setAttribute('aria-activedescendant', `actor-${active}`);
    else list.removeAttribute('aria-activedescendant');
    setText(byId('actors-count', HTMLElement), count(pages.total));
    byId('actors-none', HTMLElement).hidden = pages.total > 0;
  });

  function inSight(): readonly [number, number] {
    const from = Math.max(0, Math.floor(list.scrollTop / rowHeight) - beyond);
    return [from, Math.min(pages.total, from + Math.ceil(list.clientHeight / rowHeight) + 2 * beyond)];
  }

  function show(index: number): void {
    const row = rows.get(index) ?? createActorRow();
    if (!rows.has(index)) space.append(row.element);
    rows.set(index, row);
    row.show({ index, total: pages.total, actor: pages.at(index), isActive: index === active, now: now() });
  }

  function load(isFresh: boolean): void {
    const [from, to] = inSight();
    // A failed request is repeated with the next refresh; the page already shows the state of the connection.
    pages.request(from, to, isFresh).then(draw, () => undefined);
  }

  function move(to: number): void {
    active = Math.max(0, Math.min(pages.total - 1, to));
    const [top, bottom] = [active * rowHeight, (active + 1) * rowHeight];
    if (top < list.scrollTop) list.scrollTop = top;
    else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
    draw();
    load(false);
  }

  function choose(index: number): void {
    const actor = pages.at(index);
    if (actor !== undefined) location.hash = machineAddress(actor.id);
  }

  function find(): void {
    active = 0;
    list.scrollTop = 0;
    pages.find({ search: search.value.trim(), machine: machine.value, order: order.value });
    load(true);
  }

  for (const [name, control] of Object.entries({ search, machine, order })) addControl('actors', name, control, find);
  list.addEventListener('scroll', () => {
    draw();
    load(false);
  });
  list.addEventListener('click', ({ target }) => {
    const clicked = target instanceof Element ? target.closest('.actor') : null;
    if (!(clicked instanceof HTMLElement)) return;
    active = Number(clicked.dataset['index']);
    choose(active);
  });
  list.addEventListener('keydown', (event) => {
    const screenful = Math.max(1, Math.floor(list.clientHeight / rowHeight) - 1);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + screenful,
      PageUp: active - screenful,
      Home: 0,
      End: pages.total - 1,
    };
    const to = moves[event.key];
    if (to !== undefined) move(to);
    else if (event.key === 'Enter' || event.key === ' ') choose(active);
    else return;
    event.preventDefault();
  });
  new ResizeObserver(draw).observe(list);
  return { refresh: () => load(true) };
}
