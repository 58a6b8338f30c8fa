import { type Family, type Sample, scraped } from '../../test/support/api/scraped.ts';

/** Figures of a weeder from its /metrics. */
export interface Scrape {
  /** Requests by verb, resource and outcome: `delete pods 200`. */
  readonly requests: Readonly<Record<string, number>>;
  /** Bytes of lists and watches received, by resource. */
  readonly bytes: Readonly<Record<string, number>>;
  /** List+watch streams. */
  readonly streams: number;
  /** Resources of applications that are in sync. */
  readonly inSync: number;
  /** The event loop's delay since the last scrape. Milliseconds. */
  readonly loopDelay: { readonly p99: number; readonly max: number };
}

export async function scrape(url: string): Promise<Scrape> {
  const response = await fetch(url);
  const families = scraped(await response.text());
  const only = (name: string): number => samples(families, name)[0]?.value ?? Number.NaN;
  return {
    requests: byLabels(families, 'weeder_api_requests_total', ['verb', 'resource', 'code']),
    bytes: byLabels(families, 'weeder_stream_received_bytes_total', ['resource']),
    streams: samples(families, 'weeder_streams').reduce((sum, { value }) => sum + value, 0),
    inSync: byLabels(families, 'weeder_application_resources', ['state'])['in_sync'] ?? 0,
    loopDelay: {
      p99: 1000 * only('nodejs_eventloop_lag_p99_seconds'),
      max: 1000 * only('nodejs_eventloop_lag_max_seconds'),
    },
  };
}

/** The differences between two scrapes, without those that are zero. */
export function difference(
  after: Readonly<Record<string, number>>,
  before: Readonly<Record<string, number>>,
): Record<string, number> {
  const changes = Object.entries(after).map(([key, value]) => [key, value - (before[key] ?? 0)] as const);
  return Object.fromEntries(changes.filter(([, value]) => value !== 0));
}

function samples(families: ReadonlyMap<string, Family>, name: string): readonly Sample[] {
  return families.get(name)?.samples ?? [];
}

function byLabels(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: readonly string[],
): Record<string, number> {
  return Object.fromEntries(
    samples(families, name).map((sample) => [labels.map((label) => sample.labels[label]).join(' '), sample.value]),
  );
}
