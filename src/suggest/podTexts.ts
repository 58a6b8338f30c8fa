import { arrayOf, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { type SourceRef, sourceKey } from '../restart/references/refs.ts';
import type { Observed, ObservedWorkload } from './observed.ts';
import { sharersOf, sourceUsesOf } from './sourceUses.ts';
import { createExpander, type ReadSource, readVariables } from './variables.ts';

/** A text of a workload in which a host may be named. */
export interface PlacedText {
  /** For a person: `env DATABASE_URL of container web`. */
  readonly where: string;
  /** The variable, or the key of a ConfigMap, whose value the text is; undefined for arguments and commands. */
  readonly key: string | undefined;
  /** The values beside it, by their keys. */
  readonly siblings: ReadonlyMap<string, string>;
  readonly text: string;
  /** The workloads that take the ConfigMap or Secret of the text whole, if this is how it is used. */
  readonly sharers: ReadonlySet<ObservedWorkload>;
  /** It contains something of a Secret. */
  readonly isSecret: boolean;
}

const noSharers: ReadonlySet<ObservedWorkload> = new Set();

/**
 * Reads the texts of a pod template, and of the ConfigMaps and Secrets that it uses. A text of a ConfigMap is the same
 * object for all workloads that use it in the same way. Variables whose values are not known stay unexpanded.
 */
export function createPodTexts({ workloads, sources }: Observed): (workload: ObservedWorkload) => PlacedText[] {
  let sharers: ReturnType<typeof sharersOf> | undefined;
  const placedTexts = new Map<string, PlacedText>();

  /** Only texts of sources need them. */
  function sharersOfSource(source: SourceRef): ReadonlySet<ObservedWorkload> {
    sharers ??= sharersOf(workloads);
    return sharers.get(sourceKey(source)) ?? noSharers;
  }

  function textOfSource({ source, key: only }: ReturnType<typeof sourceUsesOf>[number]): PlacedText[] {
    const data = sources.get(sourceKey(source)) ?? {};
    const siblings = new Map(Object.entries(data));
    return [...siblings].flatMap(([key, text]) => {
      if (only !== undefined && only !== key) return [];
      const id = `${sourceKey(source)} ${key}${only === undefined ? '' : ' alone'}`;
      const placed = placedTexts.get(id) ?? {
        where: `${key} of ${source.kind} ${source.name}`,
        key,
        siblings,
        text,
        sharers: only === undefined ? sharersOfSource(source) : noSharers,
        isSecret: source.kind === 'Secret',
      };
      placedTexts.set(id, placed);
      return [placed];
    });
  }

  return (workload) => {
    const spec = objectOf(workload.template['spec']);
    const { namespace } = workload.ref;
    const read: ReadSource = (kind, name) =>
      sources.get(sourceKey({ kind, namespace, name: textOf(name) ?? '' })) ?? {};
    const containers = [
      ...arrayOf(spec['initContainers']).map((each) => ['init container', objectOf(each)] as const),
      ...arrayOf(spec['containers']).map((each) => ['container', objectOf(each)] as const),
    ];
    return [
      ...containers.flatMap(([what, container]) => containerTexts(container, what, read)),
      ...new Set(sourceUsesOf(workload, ['ConfigMap', 'Secret']).flatMap(textOfSource)),
    ];
  };
}

/** The value of a variable that is longer names more than a host, and is searched as a part of its ConfigMap. */
const longestValue = 4_096;

function containerTexts(container: JsonObject, what: 'container' | 'init container', read: ReadSource): PlacedText[] {
  const owner = `${what} ${textOf(container['name']) ?? ''}`;
  const variables = readVariables(container, read);
  const expand = createExpander(variables);
  const siblings = new Map(Array.from(variables, ([name, { text }]) => [name, text]));
  const placed = { siblings, sharers: noSharers };
  const values = [...variables].flatMap(([key, { text, isSecret, from }]): PlacedText[] => {
    if (from === 'whole' || (from !== 'template' && text.length > longestValue)) return [];
    const where = from === 'template' ? `env ${key} of ${owner}` : `${from.key} of ${from.kind} ${from.name}`;
    return [{ ...placed, where, key, text, isSecret }];
  });
  const command = (where: string, words: unknown): PlacedText => {
    const text = arrayOf(words)
      .filter((word) => typeof word === 'string')
      .join(' ');
    return { ...placed, where: `${where} of ${owner}`, key: undefined, ...expand(text) };
  };
  const probes = (['startupProbe', 'readinessProbe', 'livenessProbe'] as const).flatMap((name) =>
    probeTexts(objectOf(container[name])).map((text) => command(name, [text])),
  );
  return [...values, command('command', container['command']), command('args', container['args']), ...probes].filter(
    ({ text }) => text !== '',
  );
}

function probeTexts(probe: JsonObject): string[] {
  const [http, tcp, exec] = [objectOf(probe['httpGet']), objectOf(probe['tcpSocket']), objectOf(probe['exec'])];
  const address = ({ host, port }: JsonObject) =>
    typeof host === 'string' ? [typeof port === 'number' ? `${host}:${port}` : host] : [];
  const words = arrayOf(exec['command']).filter((word) => typeof word === 'string');
  return [...address(http), ...address(tcp), ...(words.length === 0 ? [] : [words.join(' ')])];
}
