import { createHash } from 'node:crypto';
import { isObject, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { restartMarks } from '../../controller/restartMarks.ts';
import { at, type Kind } from '../kinds/kind.ts';

/** The annotation in the pod template that a restart changes, so that Kubernetes rolls the pods. */
export const templateAnnotation = restartMarks.template;

/** Returns the pod template of a workload as the API serves it; an empty one if it has none. */
export function podTemplateOf(object: unknown, { templatePath }: Pick<Kind, 'templatePath'>): JsonObject {
  return objectOf(at(templatePath, object));
}

export function annotationsOf(template: JsonObject): JsonObject {
  return objectOf(objectOf(template['metadata'])['annotations']);
}

/**
 * Returns the hash that the latest restart wrote to the template, if there was one; pods inherit it from the template
 * they were created from.
 */
export function templateAnnotationOf(template: JsonObject): string | undefined {
  return textOf(annotationsOf(template)[templateAnnotation]);
}

/**
 * Identifies a template in 22 characters, regardless of weeder's own annotation: the hash is the same before a restart,
 * after it, and after another client has reverted it. The order of keys, nulls and empty annotations make no
 * difference.
 */
export function templateHashOf(template: JsonObject): string {
  const metadata = objectOf(template['metadata']);
  const others = Object.entries(annotationsOf(template)).filter(([name]) => name !== templateAnnotation);
  const text = canonical({ ...template, metadata: { ...metadata, annotations: Object.fromEntries(others) } });
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

type Piece = string | { readonly value: unknown };

/** Without recursion: the template of a kind that a CRD defines may nest ten thousand levels. */
function canonical(root: unknown): string {
  let text = '';
  /** What is still to be written, the next at the end. */
  const ahead: Piece[] = [{ value: root }];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (typeof next === 'string') text += next;
    else for (const piece of piecesOf(next.value).reverse()) ahead.push(piece);
  }
  return text;
}

function piecesOf(value: unknown): Piece[] {
  const comma = (index: number) => (index === 0 ? '' : ',');
  if (Array.isArray(value)) return ['[', ...value.flatMap((each, index) => [comma(index), { value: each }]), ']'];
  if (!isObject(value)) return [JSON.stringify(value) ?? 'null'];
  const keys = Object.keys(value).filter((key) => value[key] !== null && value[key] !== undefined);
  const members = keys
    .sort()
    .flatMap((key, index): Piece[] => [`${comma(index)}${JSON.stringify(key)}:`, { value: value[key] }]);
  return ['{', ...members, '}'];
}
