import { z } from 'zod';
import { sampleValue, scraped } from '../../support/api/scraped.ts';

/** What a weeder shows of itself at rest. */
export interface Measured {
  /** How many actors of the machines that live as long as weeder does are running, by machine and state. */
  readonly actors: Readonly<Record<string, number>>;
  /** Streams by resource. */
  readonly watching: Readonly<Record<string, number>>;
  /** Deletions in flight or in the queue, and actors for them. */
  readonly underWay: number;
  /** Actors for windows beyond the windows that are open. */
  readonly leftOver: number;
}

/** What the process holds: bytes, and open files and sockets. */
export interface Usage {
  readonly rss: number;
  readonly heap: number;
  readonly external: number;
  readonly descriptors: number;
}

/** The addresses of weeder's own pages. */
export interface Pages {
  readonly health: number;
  readonly metrics: number;
}

const lasting = ['manager', 'reflector', 'endpoint'];
const resources = ['endpointslices', 'pods'];
const Actors = z.looseObject({ actors: z.array(z.looseObject({ machine: z.string(), state: z.unknown() })) });

export async function measure(pages: Pages): Promise<Measured> {
  const { actors } = Actors.parse(JSON.parse((await get(pages.health, '/debug/actors')).text));
  const numbers = await scrape(pages);
  const value = (name: string, labels = {}) => sampleValue(numbers, `weeder_${name}`, labels) ?? 0;
  const open = numbers.get('weeder_windows_open')?.samples.reduce((sum, sample) => sum + sample.value, 0) ?? 0;
  return {
    actors: tally(actors.filter(({ machine }) => lasting.includes(machine)).map(nameOf)),
    watching: Object.fromEntries(
      resources.map((resource) => [resource, value('streams', { resource, state: 'watching' })]),
    ),
    underWay:
      value('deletions_in_flight') + value('deletion_queue_length') + value('actors', { machine: 'podDeletion' }),
    leftOver: value('actors', { machine: 'dependants' }) - open,
  };
}

export async function measureUsage(pages: Pages): Promise<Usage> {
  const numbers = await scrape(pages);
  const value = (name: string) => sampleValue(numbers, name) ?? Number.NaN;
  return {
    rss: value('process_resident_memory_bytes'),
    heap: value('nodejs_heap_size_used_bytes'),
    external: value('nodejs_external_memory_bytes'),
    descriptors: value('process_open_fds'),
  };
}

/** One request to weeder's own pages on this machine. */
export async function get(port: number, path: string): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: answer.status, text: await answer.text() };
}

async function scrape({ metrics }: Pages) {
  return scraped((await get(metrics, '/metrics')).text);
}

/** An endpoint is ready or not as its service is; the others have to be in the same state again. */
function nameOf({ machine, state }: { readonly machine: string; readonly state?: unknown }): string {
  return machine === 'endpoint' ? machine : `${machine} ${JSON.stringify(state)}`;
}

function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
