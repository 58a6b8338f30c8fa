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

/** Without recursion: the template of a kind that a CRD defines may nest ten thousand levels. */
function canonical(root: unknown): string {
  let text = '';
  /** What is still to be written, the next at the end: texts, and values. */
  const ahead: Ahead[] = [{ value: root }];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (typeof next === 'string') text += next;
    else if (Array.isArray(next.value)) putReversed(ahead, '[', next.value.map(withoutKey), ']');
    else if (isObject(next.value)) putReversed(ahead, '{', membersOf(next.value), '}');
    else text += JSON.stringify(next.value) ?? 'null';
  }
  return text;
}

type Ahead = string | { readonly value: unknown };

interface Member {
  readonly key: string;
  readonly value: unknown;
}

function withoutKey(value: unknown): Member {
  return { key: '', value };
}

function membersOf(object: JsonObject): Member[] {
  const keys = Object.keys(object).filter((key) => object[key] !== null && object[key] !== undefined);
  return keys.sort().map((key) => ({ key: `${JSON.stringify(key)}:`, value: object[key] }));
}

function putReversed(ahead: Ahead[], begin: string, members: readonly Member[], end: string): void {
  ahead.push(end);
  for (const [index, { key, value }] of [...members.entries()].reverse()) {
    ahead.push({ value });
    ahead.push(`${index === 0 ? begin : ','}${key}`);
  }
  if (members.length === 0) ahead.push(begin);
}
