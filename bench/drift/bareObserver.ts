/**
 * The bare observer: what any controller for this task has to do at least, and nothing else. A stream for each kind, by
 * the existence of a label; of each object what its manifest lists, as the API server has it; and one server-side apply
 * of the manifest for each at its start, and for each that is found different, 8 at a time. One field manager for all,
 * nothing written to a status, no back-off, no faults survived.
 * Usage: `BENCH_TOKEN=… node bareObserver.js ORIGIN CA-FILE APPLICATIONS RESOURCES-EACH`.
 */
import { bareClient } from '../recovery/bareClient.ts';
import { type BenchManifest, collections, keyOf, manifestsOf, pathOf } from './driftManifests.ts';

interface Found extends BenchManifest {
  readonly metadata: BenchManifest['metadata'] & { readonly resourceVersion: string };
}

interface Known {
  readonly manifest: BenchManifest;
  /** What is wanted of it, once that is known. */
  baseline?: string;
  /** Of the newest apply: what is told of older versions is no drift. */
  version: number;
}

const [origin = '', caFile = '', applications = '', each = ''] = process.argv.slice(2);
const client = bareClient(origin, caFile);
const label = 'weeder.dev/application';
const known = new Map<string, Known>();
const waiting = new Set<Known>();
let inFlight = 0;
let synced = 0;
let isReady = false;

process.once('SIGTERM', () => process.exit());

for (let application = 0; application < Number(applications); application += 1) {
  for (const { metadata, ...rest } of manifestsOf(application, Number(each))) {
    const labels = { ...metadata.labels, [label]: `app-${application}` };
    const manifest = { ...rest, metadata: { ...metadata, labels } };
    known.set(keyOf(manifest), { manifest, version: 0 });
  }
}

/** What of an object its manifest lists; the lists of the benchmark keep their order. */
function projected(manifest: unknown, object: unknown): unknown {
  if (Array.isArray(manifest) && Array.isArray(object)) {
    return [object.length, ...manifest.map((each, index) => projected(each, object[index]))];
  }
  if (typeof manifest !== 'object' || manifest === null || typeof object !== 'object' || object === null) return object;
  const values = new Map(Object.entries(object));
  return Object.entries(manifest).map(([field, value]) => projected(value, values.get(field)));
}

function projection({ manifest }: Known, object: unknown): string {
  return JSON.stringify(projected(manifest, object));
}

async function apply(entry: Known): Promise<void> {
  const path = `${pathOf(entry.manifest)}?fieldManager=bare&force=true`;
  const reply: Found = JSON.parse(await client.send('PATCH', path, entry.manifest, 'application/apply-patch+yaml'));
  entry.version = Number(reply.metadata.resourceVersion);
  entry.baseline = projection(entry, reply);
  inFlight -= 1;
  applyNext();
}

function applyNext(): void {
  for (const entry of waiting) {
    if (inFlight >= 8) return;
    waiting.delete(entry);
    inFlight += 1;
    void apply(entry);
  }
  if (isReady || synced < collections.length || inFlight > 0) return;
  isReady = true;
  console.log('synced');
}

function take(_type: string, object: Found): void {
  const entry = known.get(keyOf(object));
  if (entry === undefined || Number(object.metadata.resourceVersion) <= entry.version) return;
  if (entry.baseline === undefined || projection(entry, object) === entry.baseline) return;
  waiting.add(entry);
  applyNext();
}

function onSynced(): void {
  synced += 1;
  if (synced < collections.length) return;
  for (const entry of known.values()) waiting.add(entry);
  applyNext();
}

for (const path of collections) void client.follow<Found>({ path, labels: label, take, onSynced });
