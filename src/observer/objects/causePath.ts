import type { Path } from './path.ts';

/**
 * The path in a cause of a 422, such as `spec.template.spec.containers[0].env`, by its steps. Undefined: an element, or
 * a name in brackets (`metadata.labels[a.b]`), which are not compared: the API server counts positions in its result.
 */
export type CausePath = readonly (string | undefined)[];

/** Reads the fields of a failure. One without a path is about the whole object. */
export function causePathsOf(fields: readonly string[]): readonly CausePath[] {
  return fields.length === 0 ? [[]] : fields.map(readCausePath);
}

function readCausePath(field: string): CausePath {
  if (field === '<nil>' || field === '[]') return [];
  return (field.match(/\[[^\]]*\]?|[^.[\]]+/g) ?? []).map((step) => (step.startsWith('[') ? undefined : step));
}

/** Returns true if the cause is about this path, a part of it, or something that contains it. */
export function concerns(cause: CausePath, path: Path): boolean {
  return path.every((step, index) => {
    const said = index < cause.length ? cause[index] : undefined;
    return said === undefined || !('field' in step) || step.field === said;
  });
}
