import { isObject, type JsonObject, objectOf } from '@weeder/kube-runtime/base';

/** A path, dotted (`spec.ports.0.port`) or as a list of steps; `+` is after the last element, `^` before the first. */
export type EditPath = string | readonly string[];

/** The value to set; `undefined` removes the field. */
export type Edit = readonly [path: EditPath, value: unknown];

/** Returns an edited copy of an object. */
export function edited(object: JsonObject, ...edits: readonly Edit[]): JsonObject {
  return edits.reduce((now, [path, value]) => {
    return objectOf(put(now, typeof path === 'string' ? path.split('.') : path, value));
  }, object);
}

function put(at: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  return Array.isArray(at) ? putElement(at, step, rest, value) : putField(objectOf(at), step, rest, value);
}

function putField(map: JsonObject, name: string, rest: readonly string[], value: unknown): JsonObject {
  const below = put(Object.hasOwn(map, name) ? map[name] : undefined, rest, value);
  const others = Object.entries(map).filter(([each]) => each !== name || below !== undefined);
  const isNew = below !== undefined && !Object.hasOwn(map, name);
  const fields = others.map(([each, was]) => [each, each === name ? below : was]);
  return Object.fromEntries(isNew ? [...fields, [name, below]] : fields);
}

function putElement(list: readonly unknown[], step: string, rest: readonly string[], value: unknown): unknown[] {
  if (step === '+') return [...list, put(undefined, rest, value)];
  if (step === '^') return [put(undefined, rest, value), ...list];
  const index = Number(step);
  const below = put(list[index], rest, value);
  return below === undefined ? list.toSpliced(index, 1) : list.toSpliced(index, 1, below);
}

/** Returns the value at a path, for assertions. */
export function at(object: unknown, path: EditPath): unknown {
  const steps = typeof path === 'string' ? path.split('.') : path;
  return steps.reduce<unknown>((now, step) => {
    if (Array.isArray(now)) return now[Number(step)];
    return isObject(now) ? now[step] : undefined;
  }, object);
}
