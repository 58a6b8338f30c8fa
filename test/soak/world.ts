import { newNamespace, type TestNamespace } from '../cluster/support/namespace.ts';
import { KubeObject } from '../cluster/support/objects.ts';
import { type ContainerState, crashLoopBackOff, running, terminated } from '../cluster/support/observer/statuses.ts';
import type { Cluster } from '../cluster/support/plane/access.ts';
import type { Method } from '../cluster/support/plane/http.ts';
import { podTemplate } from '../cluster/support/restart/podTemplate.ts';
import type { Deed, PodChange, ServiceChange } from './decisions.ts';
import { tiers } from './rules.ts';

/** The cluster as the soak changes it: as administrator, past everything that stands in weeder's way. */
export interface World {
  /** Does it, as far as the API server is there and what it is about exists. */
  do(deed: Exclude<Deed, { readonly what: 'config' }>): Promise<void>;
  /** Takes every pod and slice away, as far as the API server is there. */
  clear(): Promise<void>;
  /** Answers that nobody expects, such as a 400: then the soak itself is wrong. */
  readonly refusals: readonly string[];
  /** How many requests found the API server away, or what they were about gone. */
  readonly missed: number;
}

interface Place {
  readonly ns: TestNamespace;
  /** The uid of what stands for the controller of its pods. */
  readonly owner: string;
}

/** As a gateway would say it. */
const noAnswer = 504;
/** 403: the namespace is ending. */
const expected: ReadonlySet<number> = new Set([403, 404, 409, 429, 500, 503, 504]);

export function createWorld(cluster: Cluster): World {
  const places = new Map<number, Promise<Place | undefined>>();
  const refusals: string[] = [];
  let names = 0;
  /** Each crash is another one. */
  let restarts = 1;
  let missed = 0;

  async function ask(method: Method, path: string, body?: object, contentType?: string): Promise<number> {
    const options = { ...(body === undefined ? {} : { body }), ...(contentType === undefined ? {} : { contentType }) };
    const signal = AbortSignal.timeout(10_000);
    const answer = await cluster.send(method, path, { ...options, signal }).catch(() => undefined);
    const status = answer?.status ?? noAnswer;
    if (status >= 300 && !expected.has(status))
      refusals.push(`${method} ${path} → ${status}: ${JSON.stringify(answer?.body)}`);
    if (status >= 300) missed += 1;
    return status;
  }

  async function settle(): Promise<Place | undefined> {
    names += 1;
    try {
      const ns = await newNamespace(cluster, `soak-${names}`, { after: () => {} });
      const body = { metadata: { name: 'owner' } };
      const { metadata } = KubeObject.parse(await cluster.api('POST', ns.path('api/v1', 'configmaps'), body));
      return { ns, owner: metadata.uid };
    } catch {
      missed += 1;
      return undefined;
    }
  }

  async function placeAt(index: number): Promise<Place | undefined> {
    const made = places.get(index) ?? settle();
    places.set(index, made);
    const place = await made;
    if (place === undefined && places.get(index) === made) places.delete(index);
    return place;
  }

  async function create({ ns, owner }: Place, name: string, index: number): Promise<number> {
    const labels = { tier: tiers[index % tiers.length] ?? 'a' };
    const { metadata, spec } = podTemplate({ labels }, 'soak');
    // The last one of each place has no controller.
    const controller = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner, controller: true };
    const ownerReferences = index === 7 ? [] : [controller];
    return ask('POST', ns.path('api/v1', 'pods'), { metadata: { ...metadata, name, ownerReferences }, spec });
  }

  async function changePod(place: Place, index: number, change: PodChange): Promise<void> {
    const name = `web-${index}`;
    const path = place.ns.path('api/v1', 'pods', name);
    if (change.to === 'deleted') {
      await ask('DELETE', path);
      return;
    }
    restarts += 1;
    const { sub, patch } = patchFor(change, restarts);
    const status = await ask('PATCH', `${path}${sub}`, patch, mergePatch);
    if (status !== 404) return;
    // Weeder, or a deed, has deleted it: its controller would bring it back.
    const created = await create(place, name, index);
    if (created === 201) await ask('PATCH', `${path}${sub}`, patch, mergePatch);
  }

  async function changeService(place: Place, service: string, change: ServiceChange): Promise<void> {
    const remove = (name: string) => ask('DELETE', slicePath(place, service, name));
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
    const body = sliceBody(`${service}-${name}`, service, ready);
    const status = await ask('PUT', slicePath(place, service, name), body);
    if (status === 404) await ask('POST', slicePath(place, service), body);
  }

  return {
    refusals,
    get missed() {
      return missed;
    },
    async do(deed) {
      const place = await placeAt(deed.place);
      if (place === undefined) return;
      if (deed.what === 'pod') await changePod(place, deed.pod, deed.change);
      else if (deed.what === 'service') await changeService(place, deed.service, deed.change);
      else if ((await ask('DELETE', `/api/v1/namespaces/${place.ns.name}`)) < 300) places.delete(deed.place);
    },
    async clear() {
      for (const place of await Promise.all(places.values())) {
        if (place === undefined) continue;
        await ask('DELETE', place.ns.path('api/v1', 'pods'));
        await ask('DELETE', slicePath(place));
      }
    },
  };
}

const mergePatch = 'application/merge-patch+json';

function slicePath({ ns }: Place, service?: string, name?: string): string {
  const object = service === undefined || name === undefined ? undefined : `${service}-${name}`;
  return ns.path('apis/discovery.k8s.io/v1', 'endpointslices', object);
}

function sliceBody(name: string, service: string, ready: readonly (boolean | undefined)[]) {
  const endpoints = ready.map((isReady, index) => ({
    addresses: [`10.1.0.${index + 1}`],
    conditions: isReady === undefined ? {} : { ready: isReady },
  }));
  const labels = { 'kubernetes.io/service-name': service, 'endpointslice.kubernetes.io/managed-by': 'weeder-soak' };
  return { metadata: { name, labels }, addressType: 'IPv4', endpoints, ports: [{ port: 80 }] };
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
    case 'heeded':
      return {
        sub: '',
        patch: { metadata: { annotations: { 'weeder.dev/ignore': change.to === 'ignored' ? 'true' : null } } },
      };
    case 'crashLoopBackOff':
      return statusPatch(crashLoopBackOff(restarts));
    case 'silent':
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
