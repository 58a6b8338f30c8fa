import type { ServiceView } from '../../src/ui/protocol.ts';
import { byId, onceAFrame, setText } from './dom.ts';
import { count } from './format.ts';
import { type Order, sortBy, sortKeys } from './serviceOrder.ts';
import { createServiceRow, type ServiceRow } from './serviceRow.ts';

export interface Services {
  all(services: readonly ServiceView[]): void;
  one(service: ServiceView): void;
  gone(namespace: string, service: string): void;
  tick(): void;
}

/** The table of services: a row for each, moved and written only where something has changed. */
export function createServices(now: () => number): Services {
  const rows = new Map<string, ServiceRow>();
  const table = byId('services-table', HTMLTableElement);
  const body = table.tBodies[0] ?? table.createTBody();
  const search = byId('services-search', HTMLInputElement);
  const buttons = [...document.querySelectorAll<HTMLButtonElement>('[data-show]')];
  let show = 'all';
  let order: Order = { by: 'name', isDescending: false };
  const arrange = onceAFrame(() => {
    const compare = sortBy(order);
    const sorted = [...rows.values()].sort((a, b) => compare(a.service, b.service));
    const wanted = search.value.trim().toLowerCase();
    let place = body.firstElementChild;
    let shown = 0;
    for (const { element, service } of sorted) {
      const isHidden = !(named(service, wanted) && isOf(service, show));
      if (element.hidden !== isHidden) element.hidden = isHidden;
      if (!isHidden) shown += 1;
      if (element === place) place = place.nextElementSibling;
      else body.insertBefore(element, place);
    }
    const total = rows.size;
    setText(byId('services-count', HTMLElement), shown === total ? count(total) : `${count(shown)} of ${count(total)}`);
    showCounts(sorted);
    const none = byId('services-none', HTMLElement);
    none.hidden = shown > 0;
    setText(none, total === 0 ? 'No service was ready yet.' : 'No service matches.');
  });

  function showCounts(all: readonly ServiceRow[]): void {
    for (const button of buttons) {
      const kind = button.dataset['show'] ?? '';
      setText(button.querySelector('b') ?? button, count(all.filter(({ service }) => isOf(service, kind)).length));
      button.setAttribute('aria-pressed', String(kind === show));
    }
  }

  function put(service: ServiceView): void {
    const key = `${service.namespace}/${service.service}`;
    const row = rows.get(key);
    if (row !== undefined) row.show(service, now());
    else rows.set(key, createServiceRow(service, now()));
  }

  function remove(key: string): void {
    rows.get(key)?.element.remove();
    rows.delete(key);
  }

  function sort(by: Order['by']): void {
    order = { by, isDescending: order.by === by ? !order.isDescending : by !== 'name' && by !== 'state' };
    for (const each of table.querySelectorAll('[data-sort]')) {
      if (each.getAttribute('data-sort') !== by) each.removeAttribute('aria-sort');
      else each.setAttribute('aria-sort', order.isDescending ? 'descending' : 'ascending');
    }
    arrange();
  }

  for (const key of sortKeys) {
    table.querySelector(`[data-sort=${key}] button`)?.addEventListener('click', () => sort(key));
  }
  table.querySelector('[data-sort=name]')?.setAttribute('aria-sort', 'ascending');
  search.addEventListener('input', arrange);
  for (const button of buttons) {
    button.addEventListener('click', () => {
      show = button.dataset['show'] ?? 'all';
      arrange();
    });
  }
  return {
    all(services) {
      const known = new Set(services.map(({ namespace, service }) => `${namespace}/${service}`));
      for (const key of rows.keys()) if (!known.has(key)) remove(key);
      for (const service of services) put(service);
      arrange();
    },
    one(service) {
      put(service);
      arrange();
    },
    gone(namespace, service) {
      remove(`${namespace}/${service}`);
      arrange();
    },
    tick() {
      const time = now();
      for (const row of rows.values()) if (row.service.window !== undefined) row.tick(time);
    },
  };
}

function named({ namespace, service }: ServiceView, wanted: string): boolean {
  return `${namespace}/${service}`.toLowerCase().includes(wanted);
}

function isOf({ isReady, window, crashLooping }: ServiceView, kind: string): boolean {
  if (kind === 'notReady') return !isReady;
  if (kind === 'window') return window !== undefined;
  return kind !== 'crashLooping' || crashLooping > 0;
}
