import type { JsonObject } from '@weeder/kube-runtime/base';
import { ownsAt } from '../drift/fieldsV1.ts';
import { findPaths, pathsBelow, walk } from '../objects/livePaths.ts';
import { type Path, pathText } from '../objects/path.ts';
import type { SchemaNode } from '../objects/schemaNode.ts';
import { pathTextsIn } from './foreignElements.ts';
import { entriesOf } from './managedFields.ts';
import { replicasPath } from './replicas.ts';

/**
 * Returns the live fields that `before` has and `now` does not, and that no manager owns: the managed fields were wiped,
 * by a client or by the API server while a conversion webhook failed. Since then `before-first-apply` may own them. An
 * apply would leave them, as it leaves replicas, which an autoscaler may have got.
 */
export function forgottenFieldsIn(
  live: JsonObject,
  before: JsonObject,
  now: JsonObject,
  topology: SchemaNode,
): readonly Path[] {
  const [applied, desired] = [before, now].map((object) => pathTextsIn(object, topology));
  if (applied === undefined || desired === undefined) return [];
  const left = new Set([...applied].filter((text) => !desired.has(text) && text !== replicasPath));
  const owners = left.size === 0 ? [] : entriesOf(live).filter(({ manager }) => manager !== 'before-first-apply');
  const there = findPaths(live, topology, left);
  const forgotten: Path[] = [];
  walk(before, topology, (text, path) => {
    const found = there.get(text);
    if (found === undefined) return desired.has(text);
    const isElement = !('field' in (path.at(-1) ?? {}));
    const isOurs = isElement || pathsBelow(found.value, found.at, path).every((below) => applied.has(pathText(below)));
    if (!isOurs || owners.some(({ fieldsV1 }) => ownsAt(fieldsV1, text))) return !isElement;
    forgotten.push(path);
    return false;
  });
  return forgotten;
}
