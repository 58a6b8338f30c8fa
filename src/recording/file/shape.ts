import { isObject, type JsonObject, truncate } from '@weeder/kube-runtime/base';

/** The recorded fields of an object, and of each element of a list; `true`: the whole value; or a function of it. */
export type Shape = { readonly [name: string]: Shape | true | ((value: unknown) => unknown) };

/** The whole values of these fields. */
export function only(...names: readonly string[]): Readonly<Record<string, true>> {
  return Object.fromEntries(names.map((name) => [name, true as const]));
}

/** Bytes; more than the longest name has in any script. */
const longestText = 1100;

/**
 * These texts, whose length Kubernetes does not limit, up to a length at which a replay decides the same: none
 * becomes a name that an object can have.
 */
export function texts(...names: readonly string[]): Readonly<Record<string, (value: unknown) => unknown>> {
  const shorten = (value: unknown) => (typeof value === 'string' ? truncate(value, longestText) : value);
  return Object.fromEntries(names.map((name) => [name, shorten]));
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
