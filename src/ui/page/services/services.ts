import type { ServiceView } from '../../protocol.ts';
import { byId, onceAFrame, setText } from '../dom.ts';
import { count } from '../format.ts';
import { type Order, sortBy, sortKeys } from './serviceOrder.ts';
import { createServiceRow, type ServiceRow } from './serviceRow.ts';

interface Services {
  all(services: readonly ServiceView[]): void;
  one(service: ServiceView): void;
  remove(namespace: string, service: string): void;
  /** Shows which services of the config do not exist or were never ready. Empty: none. */
  unseen(words: string): void;
  tick(): void;
}

/** The maximum number of rows. The search finds the other services. */
const mostRows = 500;

/** The table of services. Rows are moved and updated only if something has changed. */
export function createServices(now: () => number): Services {
  const services = new Map<string, ServiceView>();
  const rows = new Map<string, ServiceRow>();
  const table = byId('services-table', HTMLTableElement);
  const section = byId('services', HTMLElement);
  const body = table.tBodies[0] ?? table.createTBody();
  const search = byId('services-search', HTMLInputElement);
  const buttons = [...document.querySelectorAll<HTMLButtonElement>('[data-show]')];
  let show = 'all';
  let order: Order = { by: 'name', isDescending: false };
  /** Services changed while another view was shown. */
  let isStale = false;
  const arrange = onceAFrame(() => {
    isStale = section.hasAttribute('hidden');
    if (isStale) return;
    const query = search.value.trim().toLowerCase();
    const found = [...services].filter(([key, service]) => key.toLowerCase().includes(query) && isOf(service, show));
    const compare = sortBy(order);
    const shown = found.sort(([, a], [, b]) => compare(a, b)).slice(0, mostRows);
    place(shown);
    showCounts();
    const [total, all] = [services.size, count(services.size)];
    setText(byId('services-count', HTMLElement), found.length === total ? all : `${count(found.length)} of ${all}`);
    const none = byId('services-none', HTMLElement);
    none.hidden = found.length > 0 && found.length === shown.length;
    setText(none, nothingMore(total, found.length));
  });

  function place(shown: readonly (readonly [string, ServiceView])[]): void {
    const keys = new Set(shown.map(([key]) => key));
    for (const [key, { element }] of rows) {
      if (keys.has(key)) continue;
      element.remove();
      rows.delete(key);
    }
    let next = body.firstElementChild;
    for (const [key, service] of shown) {
      const row = rows.get(key) ?? createServiceRow(service, now());
      rows.set(key, row);
      if (row.element === next) next = next.nextElementSibling;
      else body.insertBefore(row.element, next);
    }
  }

  function showCounts(): void {
    const all = [...services.values()];
    for (const button of buttons) {
      const kind = button.dataset['show'] ?? '';
      setText(button.querySelector('b') ?? button, count(all.filter((service) => isOf(service, kind)).length));
      button.setAttribute('aria-pressed', String(kind === show));
    }
  }

  function put(service: ServiceView): void {
    const key = `${service.namespace}/${service.service}`;
    services.set(key, service);
    rows.get(key)?.show(service, now());
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
    all(its) {
      services.clear();
      for (const service of its) put(service);
      arrange();
    },
    one(service) {
      put(service);
      arrange();
    },
    remove(namespace, service) {
      services.delete(`${namespace}/${service}`);
      arrange();
    },
    unseen(words) {
      const place = byId('services-unseen', HTMLElement);
      place.hidden = words === '';
      setText(place, words === '' ? '' : `Of the services in the config, ${words}.`);
    },
    tick() {
      if (isStale) arrange();
      const time = now();
      for (const row of rows.values()) row.tick(time);
    },
  };
}

function isOf({ isReady, window, crashLooping }: ServiceView, kind: string): boolean {
  if (kind === 'notReady') return !isReady;
  if (kind === 'window') return window !== undefined;
  return kind !== 'crashLooping' || crashLooping > 0;
}

function nothingMore(total: number, found: number): string {
  if (total === 0) return 'No service has been ready yet.';
  if (found === 0) return 'No service matches.';
  return `${count(mostRows)} of ${count(found)} are shown: find the others by name.`;
}
