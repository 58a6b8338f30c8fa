import type { JsonObject } from '@weeder/kube-runtime/base';
import { cut, ownsAt } from '../drift/fieldsV1.ts';
import { findPaths, walk } from '../objects/livePaths.ts';
import { pathText } from '../objects/path.ts';
import type { SchemaNode } from '../objects/schemaNode.ts';
import { pathTextsIn } from '../ownership/foreignElements.ts';
import { fieldsOnlyOf } from '../ownership/managedFields.ts';
import type { ApplyBodies, ResourcePlan } from '../plan/resourceApi.ts';
import { putIn } from './defaultedFields.ts';

/**
 * Returns the observed fields, and with their live values the unobserved fields that only the own manager has, because
 * its apply would delete them. An update leaves such fields behind if it observes more than the manifest in force, and
 * fails after the apply of the observed fields.
 */
export function withOwnFields(
  { observed, unobserved }: ApplyBodies,
  live: JsonObject,
  { topology, owner }: Pick<ResourcePlan, 'topology' | 'owner'>,
): JsonObject {
  const own = unobserved === undefined ? undefined : fieldsOnlyOf(live, owner.own);
  if (unobserved === undefined || own === undefined) return observed;
  const leaves = leavesOf(unobserved, topology, pathTextsIn(observed, topology));
  const { taken } = cut(own, leaves);
  if (taken === undefined) return observed;
  const kept = new Set([...leaves].filter((text) => ownsAt(taken, text)));
  return findPaths(live, topology, kept)
    .values()
    .reduce((body, { path, value }) => putIn(body, path, topology, value), observed);
}

/** Returns the `pathText` of each scalar, atomic value and empty map or list that is not among `others`. */
function leavesOf(body: JsonObject, topology: SchemaNode, others: ReadonlySet<string>): ReadonlySet<string> {
  const leaves = new Set<string>();
  walk(body, topology, (text, path) => {
    leaves.delete(pathText(path.slice(0, -1)));
    if (!others.has(text)) leaves.add(text);
    return true;
  });
  return leaves;
}
