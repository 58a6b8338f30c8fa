import { isObject, type JsonObject } from '@weeder/kube-runtime/base';

/** The recorded fields of an object, and of each element of a list; `true`: the whole value; or a function of it. */
export type Shape = { readonly [name: string]: Shape | true | ((value: unknown) => unknown) };

/** The whole values of these fields. */
export function only(...names: readonly string[]): Readonly<Record<string, true>> {
  return Object.fromEntries(names.map((name) => [name, true as const]));
}

/** Returns the object with only these fields, in their places. A value of another type is left out. */
export function reduceTo(shape: Shape, value: unknown): JsonObject {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(shape).flatMap(([name, read]) => {
      const field = value[name];
      if (field === undefined) return [];
      if (read === true) return [[name, field]];
      if (typeof read === 'function') return [[name, read(field)]];
      return [[name, Array.isArray(field) ? field.map((each) => reduceTo(read, each)) : reduceTo(read, field)]];
    }),
  );
}
