import type { ApiStore } from '../apiserver/apiStore.ts';
import type { KubeObject } from '../apiserver/meta/objects.ts';
import { configMaps, secrets } from '../apiserver/strategies/resources.ts';
import { arrayOf, type JsonObject, objectOf, textOf } from '../base/json.ts';
import { failed, ok, type Result } from '../base/result.ts';

type Texts = Readonly<Record<string, string>>;

/** The content of ConfigMaps and Secrets at the start of a container: variables by name, files by `volume/key`. */
export interface ContainerContent {
  readonly env: Texts;
  readonly files: Texts;
}

/** Resolves the references of a pod to ConfigMaps and Secrets, with their current content. */
interface Sources {
  /** The files of all volumes, or the kubelet's message about what is missing. */
  files(): Result<Texts, string>;
  /** The variables of a container, or the kubelet's message about what is missing. */
  env(container: JsonObject): Result<Texts, string>;
}

interface Source {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly name: string;
  readonly isOptional: boolean;
}

/** Reads the ConfigMaps and Secrets from the store. */
export function sourcesOf(store: Pick<ApiStore, 'get'>, namespace: string, spec: JsonObject): Sources {
  function read({ kind, name }: Source): KubeObject | undefined {
    return store.get(kind === 'ConfigMap' ? configMaps : secrets, namespace, name);
  }

  /** Reads all keys or the given ones. Optional references may be missing. */
  function pick(source: Source, keys: readonly string[] | undefined, hasBytes: boolean): Result<Texts, string> {
    const object = read(source);
    if (object === undefined) {
      return source.isOptional ? ok({}) : failed(`${source.kind.toLowerCase()} "${source.name}" not found`);
    }
    const texts = valuesOf(object, hasBytes);
    const missing = keys?.find((key) => !Object.hasOwn(texts, key));
    if (missing !== undefined && !source.isOptional) {
      return failed(`couldn't find key ${missing} in ${source.kind} ${namespace}/${source.name}`);
    }
    const entries = Object.entries(texts).filter(([key]) => keys?.includes(key) ?? true);
    return ok(Object.fromEntries(entries));
  }

  function variable(entry: JsonObject): Result<Texts, string> {
    const name = textOf(entry['name']) ?? '';
    const { configMapKeyRef, secretKeyRef } = objectOf(entry['valueFrom']);
    const reference = configMapKeyRef ?? secretKeyRef;
    if (reference === undefined) return ok(entry['value'] === undefined ? {} : { [name]: String(entry['value']) });
    const key = String(objectOf(reference)['key']);
    const picked = pick(sourceIn(reference, configMapKeyRef === undefined ? 'Secret' : 'ConfigMap'), [key], false);
    if (!picked.ok) return picked;
    return ok(Object.fromEntries(Object.values(picked.value).map((value) => [name, value])));
  }

  function allVariables(entry: JsonObject): Result<Texts, string> {
    const { configMapRef, secretRef } = entry;
    const source = sourceIn(configMapRef ?? secretRef, configMapRef === undefined ? 'Secret' : 'ConfigMap');
    const picked = pick(source, undefined, false);
    return picked.ok ? ok(renamed(picked.value, textOf(entry['prefix']) ?? '')) : picked;
  }

  function volume(entry: JsonObject): Result<Texts, string> {
    const { name, configMap, secret, projected } = entry;
    const parts = [entryOf(configMap, 'ConfigMap'), entryOf(secret, 'Secret')];
    const sources = arrayOf(objectOf(projected)['sources']).map(objectOf);
    const inner = sources.flatMap((projection) => [
      entryOf(projection['configMap'], 'ConfigMap'),
      entryOf(projection['secret'], 'Secret'),
    ]);
    const used = [...parts, ...inner].flatMap((each) => each ?? []);
    const picked = joined(used.map(({ source, keys }) => pick(source, keys, true)));
    return picked.ok ? ok(renamed(picked.value, `${String(name)}/`)) : picked;
  }

  return {
    files: () => joined(arrayOf(spec['volumes']).map(objectOf).map(volume)),
    env(container) {
      const from = arrayOf(container['envFrom']).map(objectOf).map(allVariables);
      return joined([...from, ...arrayOf(container['env']).map(objectOf).map(variable)]);
    },
  };
}

/** Merges the parts, later ones over earlier ones; returns the first failure. */
function joined(parts: readonly Result<Texts, string>[]): Result<Texts, string> {
  let texts: Texts = {};
  for (const part of parts) {
    if (!part.ok) return part;
    texts = { ...texts, ...part.value };
  }
  return ok(texts);
}

/** Decodes all values; `hasBytes` includes the binaryData of a ConfigMap, which only volumes have. */
function valuesOf({ kind, data, binaryData }: KubeObject, hasBytes: boolean): Texts {
  const decoded = (value: unknown) => Buffer.from(String(value), 'base64').toString('utf8');
  const isEncoded = kind === 'Secret';
  const texts = Object.entries(objectOf(data)).map(([key, value]) => [key, isEncoded ? decoded(value) : String(value)]);
  const bytes = hasBytes ? Object.entries(objectOf(binaryData)).map(([key, value]) => [key, decoded(value)]) : [];
  return Object.fromEntries([...texts, ...bytes]);
}

function renamed(texts: Texts, prefix: string): Texts {
  return Object.fromEntries(Object.entries(texts).map(([key, value]) => [`${prefix}${key}`, value]));
}

function sourceIn(reference: unknown, kind: Source['kind']): Source {
  const { name, secretName, optional } = objectOf(reference);
  return { kind, name: textOf(name) ?? textOf(secretName) ?? '', isOptional: optional === true };
}

function entryOf(reference: unknown, kind: Source['kind']) {
  if (reference === undefined) return undefined;
  const { items } = objectOf(reference);
  const keys = items === undefined ? undefined : arrayOf(items).map((item) => String(objectOf(item)['key']));
  return { source: sourceIn(reference, kind), keys };
}
