import type { JsonObject } from '@weeder/kube-runtime/base';
import fc from 'fast-check';

/** A resource, its observed fields, and what another client makes of it. */
export interface RandomCase {
  readonly manifest: JsonObject;
  /** One entry of an observer schema; undefined: every field is observed. */
  readonly observed: JsonObject | undefined;
  readonly edit: (live: JsonObject) => JsonObject;
}

const names = ['a', 'b', 'c'] as const;
const value = fc.constantFrom('1', '2', '3');
const some = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const named = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<(T & { name: string })[]> =>
  fc
    .subarray([...names], { minLength: 1 })
    .chain((chosen) => fc.tuple(...chosen.map((name) => of.map((fields) => ({ ...fields, name })))));

const image = value.map((version) => `registry.invalid/x:${version}`);
const env = named(fc.record({ value }));
const ports = fc
  .uniqueArray(fc.constantFrom(80, 81, 82), { minLength: 1 })
  .map((all) => all.map((containerPort) => ({ containerPort, protocol: 'TCP' })));
const container = fc.record({
  image,
  args: some(fc.array(value, { minLength: 1, maxLength: 2 })),
  env: some(env),
  ports: some(ports),
});
const tolerations = fc.array(fc.record({ key: value, operator: fc.constant('Exists') }), {
  minLength: 1,
  maxLength: 2,
});

const deployment = fc.record({
  replicas: fc.integer({ min: 0, max: 3 }),
  labels: fc.dictionary(fc.constantFrom('x', 'y.z'), value),
  containers: named(container),
  tolerations: some(tolerations),
});

type Generated = typeof deployment extends fc.Arbitrary<infer T> ? T : never;

function built({ replicas, labels, containers, tolerations }: Generated): JsonObject {
  return clean({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', labels },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers, tolerations } },
    },
  });
}

/** Any part of the manifest: null means "observed", and lists have bounds that fit the manifest. */
function schemaFor(value: unknown, random: () => number, isTop = true): unknown {
  if (Array.isArray(value)) {
    const listed = value
      .slice(0, 1 + Math.floor(random() * value.length))
      .map((each) => schemaFor(each, random, false));
    const elements = listed.map((each) => each ?? 'observed');
    const bounds: readonly (readonly [number, number])[] = [
      [0, 0],
      [elements.length, elements.length],
      [value.length, value.length],
      [value.length, value.length + 1],
    ];
    const [min, max] = bounds[Math.floor(random() * bounds.length)] ?? [0, 0];
    return [
      ...elements,
      {
        observer_schema_list_min_length: Math.min(min, value.length),
        observer_schema_list_max_length: max === 0 ? 0 : Math.max(max, value.length),
      },
    ];
  }
  if (typeof value !== 'object' || value === null) return 'observed';
  if (!isTop && random() < 0.05) return 'observed';
  const left = Object.entries(value).filter(() => random() < 0.5);
  const fields = (left.length === 0 ? Object.entries(value).slice(0, 1) : left).map(
    ([name, below]) => [name, schemaFor(below, random, false)] as const,
  );
  return Object.fromEntries(fields);
}

/** Edits a live object as a user might: overlays some parts of another manifest. */
function edits(other: JsonObject, random: () => number): (live: JsonObject) => JsonObject {
  return ({ apiVersion, kind, metadata, spec }) => {
    const labels = mixed(at(metadata, 'labels'), at(other['metadata'], 'labels'), 1, random);
    const edited = mixed(spec, other['spec'], 1, random);
    const selector = at(spec, 'selector');
    return clean({
      apiVersion,
      kind,
      // Controllers write the status at the same time.
      metadata: { ...(isRecord(metadata) ? metadata : {}), labels, resourceVersion: undefined },
      spec: { ...(isRecord(edited) ? edited : {}), selector },
    });
  };
}

function mixed(live: unknown, theirs: unknown, depth: number, random: () => number): unknown {
  if (depth > 2 && random() < 0.1) return theirs ?? live;
  if (isRecord(live) && isRecord(theirs)) {
    const keys = [...new Set([...Object.keys(live), ...Object.keys(theirs)])];
    return Object.fromEntries(keys.map((key) => [key, mixed(live[key], theirs[key], depth + 1, random)]));
  }
  if (isRecords(live) && isRecords(theirs)) return mixedList(live, theirs, depth, random);
  return random() < 0.3 && theirs !== undefined ? theirs : live;
}

function mixedList(live: readonly JsonObject[], theirs: readonly JsonObject[], depth: number, random: () => number) {
  const idOf = (element: JsonObject) => JSON.stringify(element['name'] ?? element['containerPort'] ?? element['key']);
  const left = live
    .filter(() => random() < 0.8)
    .map((element) => {
      const same = theirs.find((each) => idOf(each) === idOf(element));
      return same === undefined ? element : mixed(element, same, depth + 1, random);
    });
  const isNew = (each: JsonObject) => !live.some((element) => idOf(element) === idOf(each));
  const elements = [...theirs.filter((each) => isNew(each) && random() < 0.5), ...left];
  return elements.length === 0 ? live : elements;
}

function isRecords(value: unknown): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every(isRecord);
}

function at(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

/** Evenly distributed between 0 and 1; fast-check's own doubles are mostly close to zero. */
const randomness = fc
  .infiniteStream(fc.noBias(fc.integer({ min: 0, max: 999 })))
  .map((stream) => () => Number(stream.next().value) / 1_000);

function observedOf(manifest: JsonObject, random: () => number): JsonObject {
  const labels = at(manifest['metadata'], 'labels');
  const hasLabels = isRecord(labels) && Object.keys(labels).length > 0 && random() < 0.5;
  const spec = schemaFor(manifest['spec'], random);
  return withName({ ...(hasLabels ? { metadata: { labels: schemaFor(labels, random) } } : {}), spec });
}

export const randomCases: fc.Arbitrary<RandomCase> = fc
  .tuple(deployment, deployment, fc.boolean(), randomness)
  .map(([one, other, isAll, random]) => {
    const manifest = built(one);
    const observed = observedOf(manifest, random);
    return { manifest, observed: isAll ? undefined : observed, edit: edits(built(other), random) };
  });

/**
 * The same, and how the application is updated afterwards: in some cases only the manifest changes, or only the schema.
 */
export const randomUpdates: fc.Arbitrary<readonly [RandomCase, RandomCase]> = fc
  .tuple(deployment, deployment, deployment, fc.constantFrom('manifest', 'schema', 'both', 'all'), randomness)
  .map(([one, other, third, what, random]) => {
    const edit = edits(built(other), random);
    const manifest = built(one);
    const observed = observedOf(manifest, random);
    const mixedIn = { ...built(third), spec: mixed(manifest['spec'], built(third)['spec'], 1, random) };
    const next = what === 'schema' ? manifest : clean(mixedIn);
    const first = { manifest, observed: what === 'all' ? undefined : observed, edit };
    const seen = what === 'all' ? undefined : observedOf(next, random);
    return [first, { manifest: next, observed: seen, edit }];
  });

function withName(entry: JsonObject): JsonObject {
  const metadata = isRecord(entry['metadata']) ? entry['metadata'] : {};
  return { ...entry, metadata: { ...metadata, name: 'web' } };
}

function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Without undefined fields, as the object would be sent. */
function clean(object: JsonObject): JsonObject {
  const copy: JsonObject = JSON.parse(JSON.stringify(object));
  return copy;
}
