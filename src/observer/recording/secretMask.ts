import { createHmac } from 'node:crypto';
import { ExactInteger, isObject, type JsonObject } from '@weeder/kube-runtime/base';
import { withoutStringData, wrongSecretData } from '../spec/secretData.ts';

/**
 * Replaces the content of Secrets by marks, wherever a Secret occurs: in a manifest, in a response, or in an
 * application within an application. Equal values get equal marks, so that comparisons have the same results. Without
 * the key, a mark reveals nothing about its value.
 */
export interface SecretMask {
  /** Masks a manifest, an object of the cluster, or a value that contains one. */
  object(value: unknown): unknown;
  /** Masks an observer schema: in the entry of a Secret, a value in place of `observed` is replaced. */
  schema(value: unknown): unknown;
  /** Returns the mark for a text. */
  mark(text: string): string;
}

/** weeder accepts no value that is deeper (`spec.manifests` at most 100). */
const deepest = 150;

/** This annotation contains the whole object once more, as text. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** The fields of a Secret that reveal nothing about its values. */
const harmless: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'type', 'immutable']);

export function secretMask(key: Buffer): SecretMask {
  function mark(text: string): string {
    return `~${createHmac('sha256', key).update(text).digest('base64url').slice(0, 20)}`;
  }

  /** A number is replaced by a number, because validation errors depend on the type. */
  function marked(value: unknown, depth: number): unknown {
    if (depth > deepest) return '…';
    if (typeof value === 'string') return mark(value);
    if (typeof value === 'number' || value instanceof ExactInteger)
      return createHmac('sha256', key).update(String(value)).digest().readUInt32BE();
    if (Array.isArray(value)) return value.map((each) => marked(each, depth + 1));
    return isObject(value) ? mapped(value, (_name, each) => marked(each, depth + 1)) : value;
  }

  function secret(value: JsonObject): JsonObject {
    const isAsStored = String(value['apiVersion']).includes('/') || wrongSecretData(value).length > 0;
    const object = isAsStored ? value : withoutStringData(value);
    return mapped(object, (name, field) => {
      if (harmless.has(name)) return field;
      return name === 'metadata' && isObject(field) ? metadata(field) : marked(field, 0);
    });
  }

  function metadata(value: JsonObject): JsonObject {
    return mapped(value, (name, field) => {
      if (name !== 'annotations' || !isObject(field)) return field;
      return mapped(field, (its, text) => (its.startsWith('weeder.dev/') ? text : marked(text, 0)));
    });
  }

  function walk(value: unknown, depth: number): unknown {
    if (depth > deepest) return '…';
    if (Array.isArray(value)) return value.map((each) => walk(each, depth + 1));
    if (!isObject(value)) return value;
    if (isOfASecret(value)) return secret(value);
    return mapped(value, (name, field) => {
      if (name === 'manifests' && Array.isArray(field)) return field.map((its) => manifest(its, depth));
      return isText(name) && typeof field === 'string' ? mark(field) : walk(field, depth + 1);
    });
  }

  /** A text in place of an object may contain anything. */
  function manifest(value: unknown, depth: number): unknown {
    return typeof value === 'string' ? mark(value) : walk(value, depth + 1);
  }

  function schemaEntry(entry: JsonObject): JsonObject {
    return mapped(entry, (name, field) => {
      if (name === 'apiVersion' || name === 'kind') return field;
      if (name !== 'metadata' || !isObject(field)) return schemaPart(field);
      return mapped(field, (its, part) => (its === 'name' || its === 'namespace' ? part : schemaPart(part)));
    });
  }

  /** Numbers are the bounds of lists, and reveal nothing. */
  function schemaPart(value: unknown): unknown {
    if (value === 'observed' || typeof value === 'number') return value;
    if (Array.isArray(value)) return value.map(schemaPart);
    return isObject(value) ? mapped(value, (_name, each) => schemaPart(each)) : marked(value, 0);
  }

  return {
    object: (value) => walk(value, 0),
    schema(value) {
      if (!Array.isArray(value)) return walk(value, 0);
      return value.map((entry) => (isObject(entry) && isOfASecret(entry) ? schemaEntry(entry) : walk(entry, 0)));
    },
    mark,
  };
}

/** These fields contain objects as text. */
function isText(name: string): boolean {
  return name === lastApplied || name === 'manifests';
}

/** In any API group and in any case, because a misspelt kind may contain secret values too. */
function isOfASecret({ kind }: JsonObject): boolean {
  return typeof kind === 'string' && kind.toLowerCase() === 'secret';
}

function mapped(object: JsonObject, change: (name: string, value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(name, value)]));
}
