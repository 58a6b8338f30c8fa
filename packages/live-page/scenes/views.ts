import type { ActorView } from '../protocol/actorView.ts';
import type { ApplicationList, ApplicationView, ResourceView } from '../protocol/applicationView.ts';
import { countByHealth } from '../protocol/health.ts';
import type { ObjectView } from '../protocol/objectView.ts';
import type { Overview, ProcessView } from '../protocol/overviewView.ts';
import type {
  DependantView,
  DependencyList,
  DependencyView,
  PageMessage,
  ServiceView,
  SuggestionView,
} from '../protocol/protocol.ts';
import { observerDisplay } from '../protocol/states.ts';
import type { WorkloadView } from '../protocol/workloadView.ts';

/** A service in a calm state; `changes` override it. */
export function serviceView(name: string, changes: Partial<ServiceView> = {}): ServiceView {
  return {
    namespace: 'shop',
    service: name,
    actor: `shop/${name}`,
    state: 'ready.idle',
    isReady: true,
    exists: true,
    since: 0,
    readyUntil: undefined,
    isFromStart: true,
    window: undefined,
    crashLooping: 0,
    deleted: 0,
    retried: 0,
    skipped: 0,
    failed: 0,
    failure: undefined,
    ...changes,
  };
}

/** A service that has not been ready since `since`; `changes` override it. */
export function unseenView(name: string, since: number, changes: Partial<ServiceView> = {}): ServiceView {
  return serviceView(name, { isReady: false, since, actor: undefined, state: undefined, ...changes });
}

/** A service in a calm state, without dependants; `changes` override it. */
export function dependencyView(name: string, changes: Partial<DependencyView> = {}): DependencyView {
  const { dependants = [] } = changes;
  const calm = { namespace: 'shop', service: name, view: serviceView(name) };
  const sources = dependants.map((id) => (id.startsWith('pods ') ? 'podSelectors[0]' : 'label'));
  return { ...calm, total: dependants.length, sources, ...changes, dependants };
}

/** A workload that declares its services; `changes` override it. */
export function dependantView(id: string, changes: Partial<DependantView> = {}): DependantView {
  const calm = { actor: undefined, namespaces: ['shop'], crashLooping: 0, workloads: [] };
  return { id, by: 'declared', name: id, ...calm, ...changes };
}

/** A suggestion for a workload of the namespace shop. */
export function suggestionView(service: string, name: string): SuggestionView {
  const reason = `env URL of container main: ${service}:80, with a port of the Service`;
  const found = { confidence: 'high', reason, lacks: `label weeder.dev/depends-on: ${service}` } as const;
  return { namespace: 'shop', service, workload: `Deployment shop/${name}`, workloadNamespace: 'shop', ...found };
}

export function dependencyList(
  services: readonly DependencyView[],
  dependants: readonly DependantView[],
): DependencyList {
  const views = services.map(({ view }) => view);
  const countOf = (is: (view: ServiceView) => boolean) => views.filter(is).length;
  const counts = {
    all: services.length,
    notReady: countOf(({ isReady }) => !isReady),
    window: countOf(({ window }) => window !== undefined),
    crashLooping: countOf(({ crashLooping }) => crashLooping > 0),
  };
  const total = services.length;
  return { total, found: total, counts, namespaces: ['shop'], services, dependants };
}

export function actorView(id: string, changes: Partial<ActorView> = {}): ActorView {
  return {
    id,
    machine: 'endpoint',
    parent: undefined,
    states: ['ready', 'ready.idle'],
    since: 0,
    waitsFor: [],
    ...changes,
  };
}

/** A workload in the namespace shop. */
export function workloadView(name: string, changes: Partial<WorkloadView> = {}, kind = 'Deployment'): WorkloadView {
  const rest = { until: undefined, restarts: [], cause: '' };
  const names = { id: `${kind.toLowerCase()}/shop/${name}`, name: `${kind} shop/${name}`, namespace: 'shop' };
  return { ...names, state: 'current', reason: '', since: 0, sources: ['ConfigMap settings'], ...rest, ...changes };
}

export function resourceView(id: string, changes: Partial<ResourceView> = {}): ResourceView {
  const inSync = {
    actor: id,
    state: 'inSync',
    until: undefined,
    reason: '',
    conflictingManager: undefined,
    observed: 14,
  };
  return { id, ...inSync, drifts: [], moreDrifts: 0, corrections: [], corrected: 0, ...changes };
}

export function applicationView(id: string, changes: Partial<ApplicationView> = {}): ApplicationView {
  const inSync = { state: 'observing', since: 0, until: undefined, isDetectOnly: false, errors: [] };
  const { resources = [resourceView(`Deployment ${id}`)] } = changes;
  return { id, actor: `application/${id}`, ...inSync, total: resources.length, resources, ...changes };
}

export function hello(now: number, mode: 'live' | 'replay' = 'live'): PageMessage {
  return { type: 'hello', version: '0.1.0', mode, now };
}

/** All services are ready, and only the weeder is on; `changes` override it. */
export function overviewView(changes: Partial<Overview> = {}): Overview {
  const counts: Overview['did']['counts'] = [
    { words: 'pods deleted', kind: 'deletion', count: 3 },
    { words: 'back-off saved', kind: 'deletion', count: 605_000, isTime: true },
  ];
  const restart = { name: 'restart control', state: 'off' as const, summary: '', since: undefined };
  return {
    problems: [],
    waits: [],
    did: { from: 0, isDryRun: false, counts },
    controllers: [
      { name: 'weeder', state: 'on', summary: 'All 300 services ready', since: 0, example: [] },
      { ...restart, example: ['restartControl:', '  rules:', '    - kinds: [Deployment]'] },
    ],
    ...changes,
  };
}

/** A weeder that works; `changes` override it. */
export function processView(changes: Partial<ProcessView> = {}): ProcessView {
  const config = { hash: '1a2b3c4d', appliedAt: 0, rejected: undefined };
  const cluster = { cluster: 'kind-shop', version: 'v1.36.3' };
  return { ...cluster, identity: 'weeder-6b7f', namespaces: 'all namespaces', config, streams: [], ...changes };
}

/** The applications that match a query, in this order. */
export function applicationList(all: readonly ApplicationView[], query: URLSearchParams): ApplicationList {
  const asked = (name: string) => query.get(name) ?? '';
  const healthOf = ({ state }: ApplicationView) => observerDisplay(state).health;
  const applications = all.filter(
    (each) =>
      each.id.includes(asked('search')) &&
      ['', each.id.split('/')[0]].includes(asked('namespace')) &&
      ['', 'all', healthOf(each)].includes(asked('show')),
  );
  return {
    total: all.length,
    found: applications.length,
    counts: countByHealth(all.map(healthOf)),
    namespaces: [...new Set(all.map(({ id }) => id.split('/')[0] ?? ''))],
    applications,
  };
}

/** An object that weeder does not know; `changes` override it. */
export function objectView(changes: Partial<ObjectView> = {}): Omit<ObjectView, 'type' | 'id'> {
  const nothing = { facts: [], sections: [], moments: [], since: undefined, next: undefined, actor: undefined };
  return { object: 'Pod shop/web-0', words: '', ...nothing, ...changes };
}
