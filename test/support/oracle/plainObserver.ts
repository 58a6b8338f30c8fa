import { arrayOf, isObject, type JsonObject, objectOf } from '@weeder/kube-runtime/base';

/**
 * The observed fields of a resource and the permitted writes, in plain form and without `src/observer`. A field
 * is a path such as `spec/template/spec/containers[web]/image`; elements of a list are named by their keys.
 */
export interface DesiredFields {
  readonly fields: ReadonlyMap<string, { readonly value: unknown; readonly isObserved: boolean }>;
  /** Observed, and not in the manifest. */
  readonly absent: ReadonlySet<string>;
  /** Observed fields that the manifest lacks, and that the API server defaults. */
  readonly filledIn: ReadonlySet<string>;
  readonly lists: readonly DesiredList[];
  /** Elements that the manifest has. */
  readonly elements: ReadonlySet<string>;
}

export interface DesiredList {
  readonly path: string;
  readonly min: number;
  /** 0: unlimited. */
  readonly max: number;
  /** Elements with an observed field. */
  readonly listed: ReadonlySet<string>;
}

/** Which keys identify the elements of a list; the second one has a default. */
function keysOf(list: string): readonly string[] {
  if (list === 'spec/ports') return ['port', 'protocol'];
  return list.endsWith('/ports') ? ['containerPort', 'protocol'] : ['name'];
}

function elementOf(list: string, element: unknown): string {
  const fields = objectOf(element);
  return `${list}[${keysOf(list)
    .map((key) => fields[key] ?? 'TCP')
    .join(' ')}]`;
}

/** The content of a live object: all fields of metadata's maps, spec and data, and the elements of its lists. */
export interface Content {
  readonly fields: ReadonlyMap<string, unknown>;
  readonly elements: ReadonlySet<string>;
}

export function contentOf(object: JsonObject | undefined): Content {
  const fields = new Map<string, unknown>();
  const elements = new Set<string>();
  walk(partsOf(object ?? {}), '');
  return { fields, elements };

  function walk(value: unknown, path: string): void {
    if (isObject(value)) for (const [name, below] of Object.entries(value)) walk(below, join(path, name));
    else if (Array.isArray(value))
      for (const element of value) {
        elements.add(elementOf(path, element));
        walk(element, elementOf(path, element));
      }
    else fields.set(path, value);
  }
}

function partsOf(object: JsonObject): JsonObject {
  const { labels, annotations } = objectOf(object['metadata']);
  return {
    metadata: { labels: labels ?? {}, annotations: annotations ?? {} },
    spec: object['spec'] ?? {},
    data: object['data'] ?? {},
  };
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}/${name}`;
}

/** `entry`: of the observer schema; undefined: everything is observed. */
export function desiredFields(manifest: JsonObject, entry: JsonObject | undefined): DesiredFields {
  const fields = new Map<string, { value: unknown; isObserved: boolean }>();
  const elements = new Set<string>();
  const absent = new Set<string>();
  const filledIn = new Set<string>();
  const lists: DesiredList[] = [];
  const schema = entry === undefined ? 'observed' : partsOf(entry);
  walk(partsOf(manifest), schema, '');
  return { fields, elements, absent, filledIn, lists };

  function walk(value: unknown, listed: unknown, path: string): void {
    if (isObject(value)) walkMap(value, listed, path);
    else if (Array.isArray(value)) walkList(value, listed, path);
    else fields.set(path, { value, isObserved: listed !== undefined });
  }

  function walkMap(value: JsonObject, listed: unknown, path: string): void {
    for (const [name, below] of Object.entries(value))
      walk(below, isObject(listed) ? listed[name] : listed, join(path, name));
    if (!isObject(listed)) return;
    for (const name of Object.keys(listed))
      if (!(name in value) && listed[name] === 'observed') isAbsentOrDefault(join(path, name));
  }

  /** The desired value is the API server's. */
  function isAbsentOrDefault(path: string): void {
    const value = defaultOf(path);
    if (value === undefined) absent.add(path);
    else filledIn.add(path);
    if (value !== undefined) fields.set(path, { value, isObserved: true });
  }

  function walkList(value: readonly unknown[], listed: unknown, path: string): void {
    const those = arrayOf(listed);
    const bounds = objectOf(those.at(-1));
    const isWhole = listed !== undefined && !Array.isArray(listed);
    const min = isWhole ? value.length : Number(bounds['observer_schema_list_min_length'] ?? 0);
    const max = isWhole ? value.length : Number(bounds['observer_schema_list_max_length'] ?? 0);
    const observed = new Set<string>();
    value.forEach((element, index) => {
      const how = index < those.length - 1 ? those[index] : index < min ? 'observed' : undefined;
      const id = elementOf(path, element);
      elements.add(id);
      if (how !== undefined) observed.add(id);
      walk(element, how, id);
    });
    if (listed !== undefined) lists.push({ path, min, max, listed: observed });
  }
}

/** The elements of this list, and not those of lists in it. */
export function elementsIn({ elements }: Pick<Content, 'elements'>, list: string): string[] {
  return [...elements].filter((each) => each.startsWith(`${list}[`) && !each.slice(list.length).includes(']/'));
}

/** Every observed field that differs from the manifest. Empty: it is in sync. */
export function differences(desired: DesiredFields, live: Content): string[] {
  const wrong = [...desired.fields].filter(
    ([path, { value, isObserved }]) => isObserved && live.fields.get(path) !== value,
  );
  const excess = [...desired.absent].filter((path) => [...live.fields.keys()].some((each) => isWithin(each, path)));
  const lengths = desired.lists.filter(({ path, min, max }) => {
    const length = elementsIn(live, path).length;
    // Of a deleted container there is nothing else either.
    return length < min || (max > 0 && length > max);
  });
  return [...wrong.map(([path]) => path), ...excess, ...lengths.map(({ path }) => `${path}#length`)];
}

export function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`) || path.startsWith(`${outer}[`);
}

/** The elements that contain a path, outermost first. */
export function elementsAround(path: string): string[] {
  return [...path.matchAll(/\]/g)].map(({ index }) => path.slice(0, index + 1));
}

/** The API server's default for an absent field. */
export function defaultOf(path: string): unknown {
  const port = /^spec\/ports\[(\d+) \w+\]\/targetPort$/.exec(path)?.[1];
  return path === 'spec/replicas' ? 1 : port === undefined ? undefined : Number(port);
}

/** The list of an element. */
export function listOf(element: string): string {
  return element.replace(/\[[^[]*\]$/, '');
}
