import { eventually } from './eventually.ts';
import type { TestNamespace } from './namespace.ts';
import { type EndpointSlice, EndpointSliceList } from './objects.ts';

export interface ServiceOptions {
  /** Without a selector, the cluster creates no EndpointSlices. */
  readonly selector?: Readonly<Record<string, string>>;
  readonly publishNotReadyAddresses?: boolean;
  readonly headless?: boolean;
}

/** Creates a Service with one port. */
export async function createService(ns: TestNamespace, name: string, options: ServiceOptions = {}): Promise<void> {
  const { headless, ...rest } = options;
  const spec = { ports: [{ port: 80 }], ...rest, ...(headless ? { clusterIP: 'None' } : {}) };
  await ns.cluster.api('POST', ns.path('api/v1', 'services'), { metadata: { name }, spec });
}

export interface SliceOptions {
  /** The ready conditions, one for each endpoint. Undefined is an unset condition, which counts as ready. */
  readonly ready: readonly (boolean | undefined)[];
  /** Default `IPv4`. Immutable. */
  readonly addressType?: 'IPv4' | 'IPv6' | 'FQDN';
  /** Default: the name of the service and the address type. */
  readonly name?: string;
  /** The names of the pods of the endpoints. */
  readonly targetRefs?: readonly (string | undefined)[];
}

/** Creates an EndpointSlice of `service`, which need not exist. Fails if the slice exists. */
export async function createSlice(ns: TestNamespace, service: string, options: SliceOptions): Promise<void> {
  await ns.cluster.api('POST', slices(ns), slice(ns, service, options));
}

/** Creates or replaces an EndpointSlice. */
export async function setSlice(ns: TestNamespace, service: string, options: SliceOptions): Promise<void> {
  const body = slice(ns, service, options);
  const answer = await ns.cluster.send('PUT', slices(ns, body.metadata.name), { body });
  if (answer.status === 404) await createSlice(ns, service, options);
  else if (answer.status >= 400) throw new Error(`slice of ${service} refused: ${JSON.stringify(answer.body)}`);
}

/** Deletes the slice of this name. Default: the IPv4 slice that `setSlice` creates. */
export async function deleteSlice(ns: TestNamespace, service: string, name?: string): Promise<void> {
  await ns.cluster.api('DELETE', slices(ns, name ?? sliceName(service, 'IPv4')));
}

/** Returns all slices of a service. */
export async function slicesOf(ns: TestNamespace, service: string): Promise<EndpointSlice[]> {
  const selector = encodeURIComponent(`kubernetes.io/service-name=${service}`);
  return EndpointSliceList.parse(await ns.cluster.api('GET', `${slices(ns)}?labelSelector=${selector}`)).items;
}

/** Waits until exactly `ready` endpoints in all slices of the service are ready. */
export async function readyEndpoints(ns: TestNamespace, service: string, ready: number): Promise<EndpointSlice[]> {
  return eventually(
    async (saw) => {
      const slices = await slicesOf(ns, service);
      const endpoints = slices.flatMap((one) => one.endpoints ?? []);
      saw(endpoints);
      return endpoints.filter((endpoint) => endpoint.conditions?.ready !== false).length === ready && slices;
    },
    { what: `${ready} ready endpoints of service ${service} in ${ns.name}` },
  );
}

/** Creates or replaces the Endpoints object of a Service without selector, which the cluster mirrors into slices. */
export async function setEndpoints(
  ns: TestNamespace,
  service: string,
  addresses: { readonly ready: number; readonly notReady?: number /** Default 0. */; readonly subnet?: number },
): Promise<void> {
  const list = (count: number, subnet: number): object[] =>
    Array.from({ length: count }, (_, index) => ({ ip: `10.2.${subnet}.${index + 1}` }));
  const subset = {
    addresses: list(addresses.ready, addresses.subnet ?? 0),
    notReadyAddresses: list(addresses.notReady ?? 0, 1),
  };
  const body = { metadata: { name: service }, subsets: [{ ...subset, ports: [{ port: 80 }] }] };
  const answer = await ns.cluster.send('PUT', ns.path('api/v1', 'endpoints', service), { body });
  if (answer.status === 404) await ns.cluster.api('POST', ns.path('api/v1', 'endpoints'), body);
  else if (answer.status >= 400) throw new Error(`endpoints of ${service} refused: ${JSON.stringify(answer.body)}`);
}

/** The path of the EndpointSlices, or of one. */
export function slices(ns: TestNamespace, name?: string): string {
  return ns.path('apis/discovery.k8s.io/v1', 'endpointslices', name);
}

function sliceName(service: string, addressType: string): string {
  return `${service}-${addressType.toLowerCase()}`;
}

/** An EndpointSlice of `service`, as its controller creates it. */
export function slice(ns: TestNamespace, service: string, options: SliceOptions) {
  const { addressType = 'IPv4', name = sliceName(service, addressType), targetRefs = [] } = options;
  const endpoints = options.ready.map((ready, index) => {
    const pod = targetRefs[index];
    return {
      addresses: [address(addressType, index + 1)],
      conditions: ready === undefined ? {} : { ready },
      ...(pod === undefined ? {} : { targetRef: { kind: 'Pod', namespace: ns.name, name: pod } }),
    };
  });
  const labels = { 'kubernetes.io/service-name': service, 'endpointslice.kubernetes.io/managed-by': 'weeder-test' };
  return { metadata: { name, labels }, addressType, endpoints, ports: [{ port: 80 }] };
}

function address(addressType: string, index: number): string {
  if (addressType === 'FQDN') return `endpoint-${index}.test`;
  return addressType === 'IPv6' ? `fd00:1::${index.toString(16)}` : `10.1.${index >> 8}.${index & 255}`;
}
