import { z } from 'zod';
import { sampleValue, scraped } from '../../support/api/scraped.ts';

/** The actors, streams and pending work of a weeder. */
export type Measured = Awaited<ReturnType<typeof measure>>;

/** The memory of the process in bytes, and its number of open files and sockets. */
export type Usage = Awaited<ReturnType<typeof measureUsage>>;

/** The ports on which weeder serves health and metrics. */
export interface TelemetryPorts {
  readonly health: number;
  readonly metrics: number;
}

const permanent = ['manager', 'reflector', 'endpoint'];
const resources = ['endpointslices', 'pods'];
const Actor = z.looseObject({
  machine: z.string(),
  id: z.string(),
  parent: z.string().optional(),
  state: z.unknown(),
});
type Actor = z.infer<typeof Actor>;
const Actors = z.looseObject({ actors: z.array(Actor) });

export async function measure(ports: TelemetryPorts) {
  const { actors } = Actors.parse(JSON.parse((await get(ports.health, '/debug/actors')).text));
  const numbers = await scrape(ports);
  const value = (name: string, labels = {}) => sampleValue(numbers, `weeder_${name}`, labels) ?? 0;
  const services = actors.filter(({ machine, state }) => machine === 'endpoint' && hasOpenWindow(state));
  const withWindow = new Set(services.map(({ id }) => id));
  const isOrphaned = ({ state, parent = '' }: Actor) => !isOpen(state) || !withWindow.has(parent);
  return {
    /** The numbers of permanent actors, by machine and state. */
    actors: tally(actors.filter(({ machine }) => permanent.includes(machine)).map(nameOf)),
    /** The numbers of streams in state `watching`, by resource. */
    watching: Object.fromEntries(
      resources.map((resource) => [resource, value('streams', { resource, state: 'watching' })]),
    ),
    /** The number of deletions in flight and in the queue, and of `podDeletion` actors. */
    pendingDeletions:
      value('deletions_in_flight') + value('deletion_queue_length') + value('actors', { machine: 'pod_deletion' }),
    /** The number of `dependants` actors that are not open, or whose service has no open window. */
    orphanedActors: actors.filter(({ machine }) => machine === 'dependants').filter(isOrphaned).length,
  };
}

export async function measureUsage(ports: TelemetryPorts) {
  const numbers = await scrape(ports);
  const value = (name: string) => sampleValue(numbers, name) ?? Number.NaN;
  return {
    rss: value('process_resident_memory_bytes'),
    heap: value('nodejs_heap_size_used_bytes'),
    external: value('nodejs_external_memory_bytes'),
    descriptors: value('process_open_fds'),
  };
}

/** Sends one GET request to a telemetry port. */
export async function get(port: number, path: string): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: answer.status, text: await answer.text() };
}

async function scrape({ metrics }: TelemetryPorts) {
  return scraped((await get(metrics, '/metrics')).text);
}

/** Only this state has regions. */
function isOpen(dependants: unknown): boolean {
  return typeof dependants === 'object';
}

/** Also of a service that is not ready again, and holds its window. */
function hasOpenWindow(endpoint: unknown): boolean {
  return /windowOpen|holding/.test(JSON.stringify(endpoint));
}

/** Omits the state of endpoints, because it depends on the readiness of the service. */
function nameOf({ machine, state }: { readonly machine: string; readonly state?: unknown }): string {
  return machine === 'endpoint' ? machine : `${machine} ${JSON.stringify(state)}`;
}

function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
