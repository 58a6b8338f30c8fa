import type { ServiceFilter, ServiceView } from '../../protocol/protocol.ts';
import { isShown, serviceRank } from '../../protocol/serviceFilter.ts';
import { byId, onceAFrame } from '../dom.ts';
import { createFilterButtons } from '../filterButtons.ts';
import { createListSummary } from '../listSummary.ts';
import { createRows } from '../rows.ts';
import { type Order, sortBy, sortKeys } from './serviceOrder.ts';
import { createServiceRow } from './serviceRow.ts';

interface Services {
  all(services: readonly ServiceView[]): void;
  one(service: ServiceView): void;
  remove(namespace: string, service: string): void;
  /** The services that are not ready. */
  readonly notReady: () => readonly ServiceView[];
  tick(): void;
}

/** The maximum number of rows. The search finds the other services. */
const maxRows = 500;

/** The table of services. Rows are moved and updated only if something has changed. */
export function createServices(now: () => number): Services {
  const services = new Map<string, ServiceView>();
  const table = byId('services-table', HTMLTableElement);
  const section = byId('services', HTMLElement);
  const rows = createRows({
    parent: table.tBodies[0] ?? table.createTBody(),
    keyOf,
    create: (service: ServiceView) => createServiceRow(service, now()),
  });
  const search = byId('services-search', HTMLInputElement);
  const filters = createFilterButtons(section, () => arrange());
  const summarize = createListSummary('services', {
    empty: 'weeder watches no service.',
    noMatch: 'No service matches.',
    cut: 'are shown: find the others by name.',
  });
  let order: Order = { by: 'state', isDescending: false };
  /** Services changed while another view was shown. */
  let isStale = false;
  const arrange = onceAFrame(() => {
    isStale = section.hasAttribute('hidden');
    if (isStale) return;
    const query = search.value.trim().toLowerCase();
    const filter = filters.chosen();
    const matches = [...services]
      .filter(([key, service]) => key.toLowerCase().includes(query) && isShown(service, filter))
      .map(([, service]) => service);
    const shown = firstOf(matches.sort(sortBy(order)));
    rows.place(shown);
    showCounts();
    summarize({ total: services.size, found: matches.length, shown: shown.length });
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
  }

  function put(service: ServiceView): void {
    const key = keyOf(service);
    services.set(key, service);
    rows.get(key)?.show(service, now());
  }

  function sort(by: Order['by']): void {
    order = { by, isDescending: order.by === by ? !order.isDescending : by !== 'name' && by !== 'state' };
    for (const header of table.querySelectorAll('[data-sort]')) {
      if (header.getAttribute('data-sort') !== by) header.removeAttribute('aria-sort');
      else header.setAttribute('aria-sort', order.isDescending ? 'descending' : 'ascending');
    }
    arrange();
  }

  for (const key of sortKeys) {
    table.querySelector(`[data-sort=${key}] button`)?.addEventListener('click', () => sort(key));
  }
  table.querySelector('[data-sort=state]')?.setAttribute('aria-sort', 'ascending');
  search.addEventListener('input', arrange);
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

/** At most as many as there are rows: the worst, in the order of all. Equally bad ones are cut at the end of the order. */
function firstOf(services: readonly ServiceView[]): readonly ServiceView[] {
  if (services.length <= maxRows) return services;
  const worst = new Set(services.toSorted((a, b) => serviceRank(a) - serviceRank(b)).slice(0, maxRows));
  return services.filter((each) => worst.has(each));
}
