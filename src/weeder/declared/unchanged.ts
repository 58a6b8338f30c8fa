import { dependsOn, dependsOnServices, type Written } from './declaration.ts';

/** Whether two versions of a pod declare the same. */
export function isSame(one: Written, other: Written): boolean {
  return one.label === other.label && one.annotation === other.annotation;
}

/**
 * Whether the line of a pod repeats what it has written before. Labels precede all other places of a pod that users
 * control, and a value cannot contain an unescaped quotation mark: the first occurrence of a key is the one in
 * `metadata`.
 */
export function isWrittenIn(line: Buffer, { label, annotation }: Written): boolean {
  return hasFirst(line, dependsOn, label) && hasFirst(line, dependsOnServices, annotation);
}

/** A value that JSON.stringify escapes differently from the API server only causes the line to be parsed. */
function hasFirst(line: Buffer, key: string, value: string | undefined): boolean {
  const at = line.indexOf(`"${key}":`);
  return value === undefined ? at === -1 : at !== -1 && line.indexOf(`"${key}":${JSON.stringify(value)}`, at) === at;
}
