import type { ActorView } from '../protocol/actorView.ts';
import type { ApplicationView } from '../protocol/applicationView.ts';
import type { Moment } from '../protocol/moment.ts';
import type { ObjectView } from '../protocol/objectView.ts';
import type { Overview } from '../protocol/overviewView.ts';
import type { DependencyList, PageMessage } from '../protocol/protocol.ts';
import type { WorkloadView } from '../protocol/workloadView.ts';

import {
  actorView,
  applicationView,
  dependantView,
  dependencyList,
  dependencyView,
  hello,
  objectView,
  overviewView,
  resourceView,
  serviceView,
  unseenView,
  workloadView,
} from './views.ts';

/** The services of a shop and their dependants: an outage, an open window, and services that are ready. */
export function dependencyScene(now: number): DependencyList {
  const [api, cart, mail, search, web] = ['api', 'cart', 'mail', 'search', 'web'].map(
    (name) => `Deployment shop/${name}`,
  );
  const ids = (...all: readonly (string | undefined)[]) => all.flatMap((each) => each ?? []);
  const workers = 'pods with app=worker in shop, reports';
  const window = { number: 2, openedAt: now - 100_000, closesAt: now + 200_000 };
  const readyUntil = now - 36_000;
  const cache = serviceView('cache', {
    state: 'notReady.idle',
    isReady: false,
    since: readyUntil,
    readyUntil,
    crashLooping: 3,
  });
  const db = serviceView('db', { state: 'ready.windowOpen.settled', window, crashLooping: 2, deleted: 9 });
  const services = [
    dependencyView('auth', { dependants: ids(api) }),
    dependencyView('billing', {
      dependants: ids(cart),
      view: unseenView('billing', now, { exists: false, since: undefined }),
    }),
    dependencyView('cache', { dependants: ids(cart, web), view: cache }),
    dependencyView('db', { dependants: ids(api, cart, mail, search, workers), total: 17, view: db }),
    dependencyView('queue', { dependants: ids(mail, workers) }),
    dependencyView('stock', { view: unseenView('stock', now - 190_000) }),
  ];
  const dependants = ids(api, cart, web, mail, search).map((id) => {
    const crashLooping = id === cart ? 3 : id === search ? 2 : 0;
    return dependantView(id, { crashLooping, workloads: crashLooping > 0 ? [id] : [] });
  });
  const selected = { by: 'configured', name: 'app=worker', namespaces: ['shop', 'reports'] } as const;
  return dependencyList(services, [...dependants, dependantView(workers, selected)]);
}

/** An outage with a window that is open, a restart that is blocked, and a correction that waits. */
export function overviewScene(now: number): Overview {
  const line = { page: undefined, since: now - 36_000, next: undefined };
  const service = (id: string) => ({ type: 'service', id }) as const;
  const [cache, cart] = ['Service shop/cache', 'Deployment shop/cart'];
  const down = { ...line, object: cache, page: service('shop/cache'), words: 'Down for 36s, 3 crash-looping' };
  const blocked = { ...line, object: cart, words: 'Blocked: ConfigMap shop/cart is missing' };
  const window = { words: 'closes', at: now + 200_000 };
  const on = { state: 'on' as const, since: undefined, example: [] };
  const open = { ...line, object: 'Service shop/db', page: service('shop/db'), words: 'Window open', next: window };
  return overviewView({
    problems: [
      { severity: 'down', view: 'services', total: 1, lines: [down] },
      { severity: 'stopped', view: 'workloads', total: 1, lines: [blocked] },
    ],
    waits: [{ view: 'services', total: 1, lines: [open] }],
    controllers: [
      { ...on, name: 'weeder', summary: '299 of 300 services ready' },
      { ...on, name: 'restart control', summary: '33 workloads, 1 of them with a problem' },
      { ...on, name: 'the application observer', state: 'off' as const, summary: '', example: ['observer: {}'] },
    ],
  });
}

/** A service with an open window, in which a pod was deleted. */
export function objectScene(now: number): Omit<ObjectView, 'type' | 'id'> {
  const [since, next] = [now - 100_000, { words: 'closes', at: now + 200_000 }];
  const page = { type: 'service', id: 'shop/db' } as const;
  const workload = { type: 'workload', id: 'Deployment shop/web' } as const;
  const web = { object: workload.id, page: workload, health: 'progressing', words: 'declared, by label' } as const;
  const line = { ...web, since: undefined, next: undefined };
  return objectView({
    object: 'Service shop/db',
    words: 'Window open, 2 crash-looping',
    health: 'progressing',
    since,
    next,
    facts: [['Settings', 'window 5m, whileNotReady hold, deletion delete (from the entry db in services)']],
    sections: [
      { title: 'Dependants', total: 1, lines: [line], none: '' },
      { title: 'Closed windows', total: 0, lines: [], none: 'None in the last hour.' },
    ],
    moments: [
      { t: now, what: 'pod.deleted', words: 'pod deleted', about: page.id, page, pod: 'shop/web-0', detail: '' },
    ],
    actor: actorView('shop/db'),
  });
}

/** A shop under restart control: a workload in each state that lasts long enough to be seen. */
export function workloadScene(now: number): WorkloadView[] {
  const minute = 60_000;
  const settings = 'ConfigMap settings (key log.level)';
  const ago = (minutes: number) => now - minutes * minute;
  return [
    workloadView('report', { since: ago(812), sources: ['ConfigMap settings#locale', 'Secret mail'] }, 'CronJob'),
    workloadView(
      'agent',
      {
        state: 'suspended',
        reason: 'its update strategy is OnDelete: these pods have to be deleted: agent-4xq7c, agent-9t2mk',
        since: ago(3),
        sources: ['ConfigMap agent'],
        restarts: [ago(3)],
        cause: 'ConfigMap agent (agent.yaml)',
      },
      'DaemonSet',
    ),
    workloadView('api', {
      state: 'rolling',
      since: ago(0.2),
      until: now + 9.8 * minute,
      sources: ['ConfigMap settings#log.level', 'Secret database', 'Secret tls'],
      restarts: [ago(0.2)],
      cause: settings,
    }),
    workloadView('cart', {
      state: 'blocked',
      reason: 'ConfigMap shop/cart is missing',
      since: ago(6),
      sources: ['ConfigMap cart', 'Secret database'],
    }),
    workloadView('mail', {
      state: 'waiting',
      reason:
        'no maintenance window is open, the next opens at 2026-11-21T22:00:00Z and closes at 2026-11-22T00:00:00Z ("0 22 * * *" in UTC)',
      since: ago(11),
      sources: ['Secret mail'],
      restarts: [ago(1_440)],
      cause: 'Secret mail (password)',
    }),
    workloadView('search', {
      state: 'stalled',
      reason: 'pod search-6b7f-x2x8d, container search: ImagePullBackOff',
      since: ago(4),
      sources: ['ConfigMap search'],
      restarts: [ago(5)],
      cause: 'ConfigMap search (index.yaml)',
    }),
    workloadView('web', { state: 'stale', since: ago(1 / 30), until: now + 3_000 }),
    workloadView('queue', { since: ago(2_900), sources: ['ConfigMap queue', 'Secret queue#cookie'] }, 'StatefulSet'),
  ];
}

/** Applications of a shop: one with a conflicting manager, one that only reports, one with an error, one in sync. */
export function applicationScene(now: number): ApplicationView[] {
  const image = '.spec.template.spec.containers[name="api"].image';
  const drift = {
    path: image,
    type: 'changed',
    desired: '"registry.example/api:1.9.2"',
    found: '"api:debug"',
  } as const;
  const conflictingManager = 'kubectl-edit/Update';
  const corrections = [90, 24, 6]
    .map((seconds) => ({ at: now - seconds * 1_000, drifts: [drift], conflictingManager }))
    .reverse();
  return [
    applicationView('shop/api', {
      state: 'contested',
      resources: [
        resourceView('Deployment shop/api', {
          state: 'drifted.waiting',
          until: now + 7_000,
          conflictingManager: conflictingManager,
          drifts: [drift],
          corrections,
          corrected: 3,
        }),
        resourceView('Service shop/api'),
        resourceView('Secret shop/api', {
          state: 'correcting',
          drifts: [{ path: '.data.token', type: 'changed' }],
        }),
      ],
    }),
    applicationView('shop/cart', {
      state: 'drifted',
      isDetectOnly: true,
      resources: [
        resourceView('ConfigMap shop/cart', {
          state: 'drifted.detectOnly',
          conflictingManager: 'argocd/Apply',
          drifts: [
            { path: '.data.currency', type: 'changed', desired: '"EUR"', found: '"USD"' },
            { path: '.data.debug', type: 'excess', found: '"true"' },
          ],
        }),
        resourceView('Deployment shop/cart', { corrections: corrections.slice(0, 1), corrected: 1 }),
      ],
    }),
    applicationView('shop/search', {
      state: 'refused',
      errors: ['spec.observerSchema[0].spec.ports: does not end with the bounds of its length'],
      resources: [
        resourceView('Service shop/search', { state: 'refused', reason: 'its entry of the schema has errors' }),
        resourceView('Index.search.example shop/words', {
          state: 'typeMissing',
          reason: 'the cluster does not know search.example/v1 Index',
          observed: undefined,
        }),
      ],
    }),
    applicationView('shop/web'),
  ];
}

/** A cluster with everything that the page has a picture for. `now`: epoch milliseconds. */
export function scene(now: number): readonly PageMessage[] {
  const minute = 60_000;
  const openedAt = now - 100_000;
  const window = { number: 2, openedAt, closesAt: openedAt + 5 * minute };
  const idle = ['auth', 'billing', 'catalogue', 'mail', 'reports', 'stock'].map((name) => serviceView(name));
  return [
    hello(now),
    {
      type: 'services',
      services: [
        serviceView('cache', {
          state: 'notReady.idle',
          isReady: false,
          since: now - 36_000,
          readyUntil: now - 36_000,
          crashLooping: 3,
        }),
        serviceView('db', { state: 'ready.windowOpen.settled', window, crashLooping: 2, deleted: 9, skipped: 1 }),
        serviceView('queue', { deleted: 4, failed: 1 }),
        ...idle,
      ],
    },
    { type: 'history', moments: moments(now) },
  ];
}

/** As the server sends them. */
const wordsOf = {
  'service.notReady': 'service is down',
  'window.opened': 'window opened',
  'window.closed': 'window closed',
  'pod.deleted': 'pod deleted',
  'deletion.failed': 'deletion failed',
};

function moments(now: number): Moment[] {
  const at = (minutes: number, what: keyof typeof wordsOf, name: string, detail = '', pod?: string): Moment => ({
    t: now - minutes * 60_000,
    what,
    words: wordsOf[what],
    about: `shop/${name}`,
    detail,
    ...(pod === undefined ? {} : { pod: `shop/${pod}` }),
  });
  const deleted = (minutes: number, name: string, pod: string) => at(minutes, 'pod.deleted', name, 'delete', pod);
  return [
    at(48, 'service.notReady', 'queue'),
    at(41, 'window.opened', 'queue', '5m0s'),
    ...[40.9, 40.7, 40.2, 38.5].map((each, index) => deleted(each, 'queue', `worker-${index}`)),
    at(37, 'deletion.failed', 'queue', 'a webhook refused it', 'worker-7'),
    at(36, 'window.closed', 'queue'),
    at(27, 'service.notReady', 'db'),
    at(19, 'window.opened', 'db', '5m0s'),
    ...[18.9, 18.8, 18.4, 17.1].map((each, index) => deleted(each, 'db', `api-${index}`)),
    at(14, 'window.closed', 'db'),
    at(5, 'service.notReady', 'db'),
    at(100 / 60, 'window.opened', 'db', '5m0s'),
    ...[1.6, 1.5, 1.2, 1, 0.7].map((each, index) => deleted(each, 'db', `api-${index + 4}`)),
    at(0.6, 'service.notReady', 'cache'),
  ];
}

/** A tree of services, each with the dependants of its window. */
export function manyActors(howMany: number, since = 0): ActorView[] {
  const states = ['open', 'open.timer', 'open.timer.running', 'open.pods', 'open.pods.watching'];
  return Array.from({ length: howMany }, (_, index) => {
    const name = `shop/service-${String(Math.floor(index / 2)).padStart(5, '0')}`;
    if (index % 2 === 0)
      return actorView(name, { states: ['ready', 'ready.windowOpen', 'ready.windowOpen.settled'], since });
    return actorView(`${name}/dependants-1-1`, { machine: 'dependants', parent: name, states, since });
  });
}
