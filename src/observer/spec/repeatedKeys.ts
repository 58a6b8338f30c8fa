import { isObject } from '@weeder/kube-runtime/base';
import { oneLine, type Path } from '../../base/fieldError.ts';
import { elementStep, elementText } from '../objects/path.ts';
import { type ListTopology, type SchemaNode, unknownNode } from '../objects/schemaNode.ts';
import { listed } from '../objects/wording.ts';
import type { ApplicationWarning, FieldError } from './application.ts';

/**
 * Returns an error for each key, or value of a set, that occurs twice in a list of a manifest: the API server refuses
 * to apply such a list, and it is ambiguous which element is meant. `manifest`: its index in `spec.manifests`.
 */
export function repeatedKeys(object: unknown, manifest: number, at: SchemaNode): readonly FieldError[] {
  const repeated = repeatedBelow(object, at, ['spec', 'manifests', manifest]);
  return repeated.map((each) => ({ code: 'repeatedKey', ...each, manifest }));
}

function repeatedBelow(value: unknown, at: SchemaNode, path: Path): readonly ApplicationWarning[] {
  // Nothing is known of the values below it either.
  if (at === unknownNode) return [];
  if (Array.isArray(value))
    return [
      ...repeatedIn(value, at.list, path),
      ...value.flatMap((element, index) => repeatedBelow(element, at.items(), [...path, index])),
    ];
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => repeatedBelow(each, at.field(name), [...path, name]));
}

function repeatedIn(elements: readonly unknown[], list: ListTopology, path: Path): readonly ApplicationWarning[] {
  if (list.type !== 'map' && list.type !== 'set') return [];
  const positions = new Map<string, number[]>();
  for (const [index, element] of elements.entries()) {
    const step = stepOf(list, element, index);
    const indexes = step === undefined ? undefined : positions.get(step);
    if (indexes !== undefined) indexes.push(index);
    else if (step !== undefined) positions.set(step, [index]);
  }
  const what = list.type === 'map' ? 'the key' : 'the value';
  return [...positions].flatMap(([step, indexes]) => {
    const message = `${what} ${oneLine(step)} is at the positions ${listed(indexes.map(String))}, and must be unique`;
    return indexes.length > 1 ? [{ path, message }] : [];
  });
}

/**
 * Returns a text such as `name="web"`. Undefined if the element lacks a part of its key, an error that the API server
 * itself reports.
 */
function stepOf(list: ListTopology, element: unknown, index: number): string | undefined {
  if (list.type === 'set') return elementText(elementStep(list, element, index)).slice(2, -1);
  if (list.type !== 'map' || !isObject(element)) return undefined;
  const isPresent = (key: string) => element[key] !== null && (element[key] ?? list.defaults[key]) !== undefined;
  return list.keys.every(isPresent) ? elementText(elementStep(list, element, index)).slice(1, -1) : undefined;
}
