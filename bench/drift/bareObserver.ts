/**
 * The bare observer does only what every controller for this task has to do: a stream for each kind, selected by a
 * label; the fields of each object that its manifest lists, as the API server returns them; and one server-side apply
 * of each manifest at its start and of each object that differs, 8 at a time. It has one field manager, writes no
 * status, has no back-off, and survives no failure. Usage: `BENCH_TOKEN=… node bareObserver.js ORIGIN CA-FILE
 * APPLICATIONS RESOURCES-EACH`.
 */
import { bareClient } from '../recovery/bareClient.ts';
import { type BenchManifest, collections, keyOf, manifestsOf, pathOf } from './driftManifests.ts';

interface LiveObject extends BenchManifest {
  readonly metadata: BenchManifest['metadata'] & { readonly resourceVersion: string };
}

interface ResourceEntry {
  readonly manifest: BenchManifest;
  /** The desired state, after the first apply. */
  baseline?: string;
  /** The version of the newest apply. Events of older versions are not drift. */
  version: number;
}

const [origin = '', caFile = '', applications = '', perApplication = ''] = process.argv.slice(2);
const client = bareClient(origin, caFile);
const label = 'weeder.dev/application';
const entries = new Map<string, ResourceEntry>();
const waiting = new Set<ResourceEntry>();
let inFlight = 0;
let synced = 0;
let isReady = false;

process.once('SIGTERM', () => process.exit());

for (let application = 0; application < Number(applications); application += 1) {
  for (const { metadata, ...rest } of manifestsOf(application, Number(perApplication))) {
    const labels = { ...metadata.labels, [label]: `app-${application}` };
    const manifest = { ...rest, metadata: { ...metadata, labels } };
    entries.set(keyOf(manifest), { manifest, version: 0 });
  }
}

/** The fields of an object that its manifest lists. The lists of the benchmark keep their order. */
function projected(manifest: unknown, object: unknown): unknown {
  if (Array.isArray(manifest) && Array.isArray(object)) {
    return [object.length, ...manifest.map((each, index) => projected(each, object[index]))];
  }
  if (typeof manifest !== 'object' || manifest === null || typeof object !== 'object' || object === null) return object;
  const values = new Map(Object.entries(object));
  return Object.entries(manifest).map(([field, value]) => projected(value, values.get(field)));
}

function projection({ manifest }: ResourceEntry, object: unknown): string {
  return JSON.stringify(projected(manifest, object));
}

async function apply(entry: ResourceEntry): Promise<void> {
  const path = `${pathOf(entry.manifest)}?fieldManager=bare&force=true`;
  const reply: LiveObject = JSON.parse(
    await client.send('PATCH', path, entry.manifest, 'application/apply-patch+yaml'),
  );
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

function onEvent(_type: string, object: LiveObject): void {
  const entry = entries.get(keyOf(object));
  if (entry === undefined || Number(object.metadata.resourceVersion) <= entry.version) return;
  if (entry.baseline === undefined || projection(entry, object) === entry.baseline) return;
  waiting.add(entry);
  applyNext();
}

function onSynced(): void {
  synced += 1;
  if (synced < collections.length) return;
  for (const entry of entries.values()) waiting.add(entry);
  applyNext();
}

for (const path of collections) void client.follow<LiveObject>({ path, labels: label, onEvent: onEvent, onSynced });
