import { arrayOf, type JsonObject, objectOf, textOf } from '../base/json.ts';
import type { ConfigMapData } from './observed.ts';

/** The environment of a container, as far as its values are in the template or in ConfigMaps. */
interface Variables {
  readonly all: ReadonlyMap<string, string>;
  /** The variables whose values are in the template. */
  readonly own: readonly string[];
}

/** Reads the environment in the order in which the kubelet does; later variables override earlier ones. */
export function readVariables(container: JsonObject, configOf: (name: unknown) => ConfigMapData): Variables {
  const all = new Map<string, string>();
  const own: string[] = [];
  for (const source of arrayOf(container['envFrom']).map(objectOf)) {
    const prefix = textOf(source['prefix']) ?? '';
    for (const [key, text] of Object.entries(configOf(objectOf(source['configMapRef'])['name'])))
      all.set(`${prefix}${key}`, text);
  }
  for (const { name, value, valueFrom } of arrayOf(container['env']).map(objectOf)) {
    if (typeof name !== 'string') continue;
    const reference = objectOf(objectOf(valueFrom)['configMapKeyRef']);
    const text = textOf(value) ?? textOf(configOf(reference['name'])[textOf(reference['key']) ?? '']);
    if (text === undefined) all.delete(name);
    else all.set(name, expand(text, all));
    if (typeof value === 'string') own.push(name);
  }
  return { all, own };
}

/** Replaces `$(NAME)`, which Kubernetes expands, and `${NAME}`, which shells and programs do. */
export function expand(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replace(/\$(?:\((\w+)\)|\{(\w+)\})/g, (whole, one?: string, other?: string) => {
    return variables.get(one ?? other ?? '') ?? whole;
  });
}
