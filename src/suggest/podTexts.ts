import { arrayOf, type JsonObject, objectOf, textOf } from '../base/json.ts';
import { usesOf } from '../restart/model/uses.ts';
import type { ConfigMapData, Observed, ObservedWorkload } from './observed.ts';
import { expand, readVariables } from './variables.ts';

/** A text of a workload in which a host may be named. */
export interface PlacedText {
  /** For a person: `env DATABASE_URL of container web`. */
  readonly where: string;
  /** The variable, or the key of a ConfigMap, whose value the text is; undefined for arguments and commands. */
  readonly key: string | undefined;
  /** The values beside it, by their keys. */
  readonly siblings: ReadonlyMap<string, string>;
  readonly text: string;
}

type Configs = Observed['configMaps'];

/**
 * The texts of a pod template and of the ConfigMaps that it uses. What comes from a Secret is not read, and variables
 * that refer to one stay unexpanded.
 */
export function podTexts({ ref: { namespace }, template }: ObservedWorkload, configMaps: Configs): PlacedText[] {
  const spec = objectOf(template['spec']);
  const configOf = (name: unknown): ConfigMapData => configMaps.get(`${namespace}/${textOf(name) ?? ''}`) ?? {};
  return [
    ...arrayOf(spec['initContainers']).flatMap((each) => containerTexts(objectOf(each), 'init container', configOf)),
    ...arrayOf(spec['containers']).flatMap((each) => containerTexts(objectOf(each), 'container', configOf)),
    ...configMapTexts(template, namespace, configMaps),
  ];
}

function containerTexts(
  container: JsonObject,
  what: 'container' | 'init container',
  configOf: (name: unknown) => ConfigMapData,
): PlacedText[] {
  const owner = `${what} ${textOf(container['name']) ?? ''}`;
  const { all, own } = readVariables(container, configOf);
  const command = (where: string, words: unknown) => {
    const text = arrayOf(words)
      .filter((word) => typeof word === 'string')
      .join(' ');
    return { where: `${where} of ${owner}`, key: undefined, siblings: all, text: expand(text, all) };
  };
  const probes = (['startupProbe', 'readinessProbe', 'livenessProbe'] as const).flatMap((name) =>
    probeTexts(objectOf(container[name])).map((text) => command(name, [text])),
  );
  return [
    ...own.map((key) => ({ where: `env ${key} of ${owner}`, key, siblings: all, text: all.get(key) ?? '' })),
    command('command', container['command']),
    command('args', container['args']),
    ...probes,
  ].filter(({ text }) => text !== '');
}

function probeTexts(probe: JsonObject): string[] {
  const [http, tcp, exec] = [objectOf(probe['httpGet']), objectOf(probe['tcpSocket']), objectOf(probe['exec'])];
  const address = ({ host, port }: JsonObject) =>
    typeof host === 'string' ? [typeof port === 'number' ? `${host}:${port}` : host] : [];
  const words = arrayOf(exec['command']).filter((word) => typeof word === 'string');
  return [...address(http), ...address(tcp), ...(words.length === 0 ? [] : [words.join(' ')])];
}

/** Each key that is used, once. */
function configMapTexts(template: JsonObject, namespace: string, configMaps: Configs): PlacedText[] {
  const texts = new Map<string, PlacedText>();
  for (const { source, key: only } of usesOf(template, namespace, { imagePullSecrets: 'ignore' })) {
    const data = source.kind === 'ConfigMap' ? configMaps.get(`${namespace}/${source.name}`) : undefined;
    if (data === undefined) continue;
    const siblings = new Map(Object.entries(data));
    for (const [key, text] of siblings) {
      if (only !== undefined && only !== key) continue;
      texts.set(`${source.name} ${key}`, { where: `${key} of ConfigMap ${source.name}`, key, siblings, text });
    }
  }
  return [...texts.values()];
}
