/**
 * Reads the texts in objects whose length the API server does not limit, such as those of `ownerReferences`,
 * `involvedObject`, `targetRef`, images and messages: an object has up to 1.5 MB, and a user that may create one
 * chooses them. A name that no object can have is undefined, so that it becomes neither a key nor part of a path. Any other
 * text is shortened by copy: a slice would keep the whole text in memory.
 */

import { textOf } from '../base/json.ts';
import { truncate } from '../base/truncate.ts';

/** Of the name of any object. Source: apimachinery, `pkg/util/validation`. */
const longestName = 253;
/** The API server generates UUIDs; a mirror pod has a hash. */
const uid = /^[\w.:/@-]{1,64}$/;
/** Bytes of a message, as in Events. */
const longestText = 1024;

/** No object of any kind can have these in its name. Source: apimachinery, `IsValidPathSegmentName`. */
const notInNames = /[/%]/;
const kind = /^[A-Za-z](?:[-A-Za-z0-9]{0,61}[A-Za-z0-9])?$/;
const apiVersion = /^(?:[a-z0-9](?:[-.a-z0-9]{0,251}[a-z0-9])?\/)?[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** The name of an object of any kind, which is one segment of a path. */
export function nameIn(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > longestName) return undefined;
  return value === '.' || value === '..' || notInNames.test(value) ? undefined : value;
}

export function uidIn(value: unknown): string | undefined {
  return typeof value === 'string' && uid.test(value) ? value : undefined;
}

/** A resourceVersion. Those of API servers that aggregate several clusters are longer than a number. */
export function versionIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= longestText ? value : undefined;
}

export function kindIn(value: unknown): string | undefined {
  return typeof value === 'string' && kind.test(value) ? value : undefined;
}

/** `v1`, `apps/v1`. */
export function apiVersionIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= longestName + 64 && apiVersion.test(value) ? value : undefined;
}

/** The beginning of a text; undefined if the value is no text. `bytes` of UTF-8, the mark of omission included. */
export function shortTextIn(value: unknown, bytes = longestText): string | undefined {
  const text = textOf(value);
  return text && truncate(text, bytes);
}
