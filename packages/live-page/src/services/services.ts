import { type ServiceFilter, type ServiceView, serviceFilters } from '../../protocol/protocol.ts';
import { isShown } from '../../protocol/serviceFilter.ts';
import { compareNames } from '../../protocol/worstFirst.ts';
import { addControl, addPart } from '../address.ts';
import { byId, onceAFrame } from '../dom.ts';
import { createFilterButtons } from '../filterButtons.ts';
import { createListSummary } from '../listSummary.ts';
import { createNamespaceFilter } from '../namespaceFilter.ts';
import { createVirtualRows } from '../virtualRows.ts';
import { type Order, orderOf, orderText, sortBy, sortKeys } from './serviceOrder.ts';
import { createServiceRow } from './serviceRow.ts';

interface Services {
  all(services: readonly ServiceView[]): void;
  one(service: ServiceView): void;
  remove(namespace: string, service: string): void;
  /** The services that are down. */
  readonly notReady: () => readonly ServiceView[];
  tick(): void;
}

/** The table of services. Rows are moved and updated only if something has changed. */
export function createServices(now: () => number): Services {
  const services = new Map<string, ServiceView>();
  const table = byId('services-table', HTMLTableElement);
  const section = byId('services', HTMLElement);
  const rows = createVirtualRows({
    table,
    keyOf,
    create: (service: ServiceView) => createServiceRow(service, now()),
  });
  const search = byId('services-search', HTMLInputElement);
  addControl('services', 'search', search, () => arrange());
  const filters = createFilterButtons('services', serviceFilters, () => arrange());
  const namespaces = createNamespaceFilter('services', () => arrange());
  const summarize = createListSummary('services', {
    empty: 'weeder watches no service.',
    noMatch: 'No service matches.',
  });
  let order = orderOf('state');
  /** Services changed while another view was shown. */
  let isStale = false;
  const arrange = onceAFrame(() => {
    isStale = section.hasAttribute('hidden');
    if (isStale) return;
    const query = search.value.trim().toLowerCase();
    const [filter, namespace] = [filters.chosen(), namespaces.chosen()];
    const matches = [...services.values()].filter(
      (service) =>
        (namespace === '' || service.namespace === namespace) &&
        keyOf(service).toLowerCase().includes(query) &&
        isShown(service, filter),
    );
    rows.place(matches.sort(sortBy(order)));
    showCounts();
    summarize({ total: services.size, found: matches.length });
  });

  function showCounts(): void {
    const list = [...services.values()];
    const countOf = (filter: ServiceFilter) => list.filter((service) => isShown(service, filter)).length;
    filters.counts({
      all: list.length,
      notReady: countOf('notReady'),
      window: countOf('window'),
      crashLooping: countOf('crashLooping'),
    });
    namespaces.offer([...new Set(list.map(({ namespace }) => namespace))].filter(Boolean).sort(compareNames));
  }

  function put(service: ServiceView): void {
    const key = keyOf(service);
    services.set(key, service);
    rows.get(key)?.show(service, now());
  }

  function sort(newOrder: Order): void {
    order = newOrder;
    for (const header of table.querySelectorAll('[data-sort]')) {
      if (header.getAttribute('data-sort') !== order.by) header.removeAttribute('aria-sort');
      else header.setAttribute('aria-sort', order.isDescending ? 'descending' : 'ascending');
    }
    arrange();
  }

  const writeOrder = addPart('services', 'sort', {
    initial: orderText(order),
    show(text) {
      if (text !== orderText(order)) sort(orderOf(text));
    },
  });
  for (const key of sortKeys) {
    table.querySelector(`[data-sort=${key}] button`)?.addEventListener('click', () => {
      const isDescending = order.by === key ? !order.isDescending : key !== 'name' && key !== 'state';
      sort({ by: key, isDescending });
      writeOrder(orderText(order));
    });
  }
  table.querySelector('[data-sort=state]')?.setAttribute('aria-sort', 'ascending');
  return {
    all(newServices) {
      services.clear();
      for (const service of newServices) put(service);
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
    notReady: () => [...services.values()].filter((service) => isShown(service, 'notReady')),
    tick() {
      if (isStale) arrange();
      const time = now();
      for (const row of rows.all()) row.tick(time);
    },
  };
}

function keyOf({ namespace, service }: ServiceView): string {
  return `${namespace}/${service}`;
}
