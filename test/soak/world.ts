import { newNamespace, type TestNamespace } from '../cluster/support/namespace.ts';
import { KubeObject } from '../cluster/support/objects.ts';
import { type ContainerState, crashLoopBackOff, running, terminated } from '../cluster/support/observer/statuses.ts';
import type { Cluster } from '../cluster/support/plane/access.ts';
import type { Method } from '../cluster/support/plane/http.ts';
import { podTemplate } from '../cluster/support/restart/podTemplate.ts';
import { slice, slices } from '../cluster/support/services.ts';
import { type Change, type PodChange, podsInPlace, type ServiceChange } from './decisions.ts';
import { tiers } from './rules.ts';

/** Changes the cluster as administrator, without the faults that weeder is subject to. */
export type World = ReturnType<typeof createWorld>;

interface Place {
  readonly ns: TestNamespace;
  /** The uids of the objects that represent the controllers of its pods. */
  readonly owners: readonly string[];
}

function ownerOf(index: number): string {
  return `owner-${index}`;
}

/** The status that a gateway returns. */
const noResponse = 504;
/** A 403 means that the namespace is terminating. */
const expected: ReadonlySet<number> = new Set([403, 404, 409, 429, 500, 503, 504]);

export function createWorld(cluster: Cluster) {
  const places = new Map<number, Promise<Place | undefined>>();
  const refusals: string[] = [];
  let names = 0;
  /** The restart count differs for each crash. */
  let restarts = 1;
  let missed = 0;

  async function request(method: Method, path: string, body?: object): Promise<number> {
    const signal = AbortSignal.timeout(10_000);
    const response = await cluster.send(method, path, { body, signal }).catch(() => undefined);
    const status = response?.status ?? noResponse;
    if (status >= 300 && !expected.has(status))
      refusals.push(`${method} ${path} → ${status}: ${JSON.stringify(response?.body)}`);
    if (status >= 300) missed += 1;
    return status;
  }

  async function createPlace(): Promise<Place | undefined> {
    names += 1;
    try {
      const ns = await newNamespace(cluster, `soak-${names}`, { after: () => {} });
      const owners: string[] = [];
      // The last pod of each place has no controller.
      for (let index = 0; index < podsInPlace - 1; index += 1) {
        const body = { metadata: { name: ownerOf(index) } };
        const { metadata } = KubeObject.parse(await cluster.api('POST', ns.path('api/v1', 'configmaps'), body));
        owners.push(metadata.uid);
      }
      return { ns, owners };
    } catch {
      missed += 1;
      return undefined;
    }
  }

  async function placeAt(index: number): Promise<Place | undefined> {
    const created = places.get(index) ?? createPlace();
    places.set(index, created);
    const place = await created;
    if (place === undefined && places.get(index) === created) places.delete(index);
    return place;
  }

  async function create({ ns, owners }: Place, name: string, index: number): Promise<number> {
    const labels = { tier: tiers[index % tiers.length] ?? 'a' };
    const { metadata, spec } = podTemplate({ labels }, 'soak');
    const uid = owners[index];
    const controller = { apiVersion: 'v1', kind: 'ConfigMap', name: ownerOf(index), uid, controller: true };
    const ownerReferences = uid === undefined ? [] : [controller];
    return request('POST', ns.path('api/v1', 'pods'), { metadata: { ...metadata, name, ownerReferences }, spec });
  }

  async function changePod(place: Place, index: number, change: PodChange): Promise<void> {
    const name = `web-${index}`;
    const path = place.ns.path('api/v1', 'pods', name);
    if (change.to === 'deleted') {
      await request('DELETE', path);
      return;
    }
    restarts += 1;
    const { sub, patch } = patchFor(change, restarts);
    const status = await request('PATCH', `${path}${sub}`, patch);
    if (status !== 404) return;
    // weeder or a change has deleted it: its controller would recreate it.
    const created = await create(place, name, index);
    if (created === 201) await request('PATCH', `${path}${sub}`, patch);
  }

  async function changeService(place: Place, service: string, change: ServiceChange): Promise<void> {
    const remove = (name: string) => request('DELETE', slices(place.ns, `${service}-${name}`));
    const rest = 'endpoints' in change ? Array.from({ length: change.endpoints - 1 }, () => false) : [];
    switch (change.to) {
      case 'flapping':
        for (let time = 0; time < change.times; time += 1) await put(place, service, 'one', [time % 2 === 0]);
        return;
      case 'ready':
        return put(place, service, 'one', [true, ...rest]);
      case 'unset':
        return put(place, service, 'one', [undefined, ...rest]);
      case 'notReady':
        await put(place, service, 'one', [false, ...rest]);
        await remove('two');
        return;
      case 'split':
        await put(place, service, 'two', [true]);
        return put(place, service, 'one', [false, ...rest]);
      case 'replaced':
        await remove('one');
        return put(place, service, 'one', [true, ...rest]);
      default:
        await remove('one');
        await remove('two');
    }
  }

  async function put(
    place: Place,
    service: string,
    name: string,
    ready: readonly (boolean | undefined)[],
  ): Promise<void> {
    const body = slice(place.ns, service, { name: `${service}-${name}`, ready });
    const status = await request('PUT', slices(place.ns, body.metadata.name), body);
    if (status === 404) await request('POST', slices(place.ns), body);
  }

  return {
    /** Unexpected responses, such as a 400: these are errors of the soak itself. */
    unexpectedResponses: refusals,
    /** The number of requests for which the API server was unavailable or the object did not exist. */
    get failedRequests() {
      return missed;
    },
    /** Makes the change, if the API server is available and the object exists. */
    async apply(change: Exclude<Change, { readonly what: 'config' }>) {
      const place = await placeAt(change.place);
      if (place === undefined) return;
      if (change.what === 'pod') await changePod(place, change.pod, change.change);
      else if (change.what === 'service') await changeService(place, change.service, change.change);
      else if ((await request('DELETE', `/api/v1/namespaces/${place.ns.name}`)) < 300) places.delete(change.place);
    },
    /** Deletes all pods and slices, if the API server is available. */
    async clear() {
      for (const place of await Promise.all(places.values())) {
        if (place === undefined) continue;
        await request('DELETE', place.ns.path('api/v1', 'pods'));
        await request('DELETE', slices(place.ns));
      }
    },
  };
}

interface PodPatch {
  /** The subresource, with its slash. */
  readonly sub: '' | '/status';
  readonly patch: object;
}

function patchFor(change: Exclude<PodChange, { readonly to: 'deleted' }>, restarts: number): PodPatch {
  switch (change.to) {
    case 'relabelled':
      return { sub: '', patch: { metadata: { labels: { tier: change.tier, extra: change.isExtra ? 'b' : null } } } };
    case 'ignored':
    case 'notIgnored':
      return {
        sub: '',
        patch: { metadata: { annotations: { 'weeder.dev/ignore': change.to === 'ignored' ? 'true' : null } } },
      };
    case 'crashLoopBackOff':
      return statusPatch(crashLoopBackOff(restarts));
    case 'unreported':
      return statusPatch(terminated(restarts));
    default:
      return statusPatch(running(restarts));
  }
}

function statusPatch(state: ContainerState): PodPatch {
  const container = { name: 'main', image: 'registry.invalid/weeder-test:1', imageID: '', started: state.ready };
  const status = { phase: 'Running', containerStatuses: [{ ...container, lastState: {}, ...state }] };
  return { sub: '/status', patch: { status } };
}
