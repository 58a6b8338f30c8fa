import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, objectOf, textOf } from '../../base/json.ts';
import type { KubeObject } from '../meta/objects.ts';
import { type FieldError, fieldError } from '../meta/status.ts';
import { byPath, resource } from '../registry/resource.ts';

export const configMaps = resource({
  plural: 'configmaps',
  kind: 'ConfigMap',
  fields: ['immutable', 'data', 'binaryData'],
  shortNames: ['cm'],
  decodeError: ({ data, binaryData }) => notTexts('ConfigMap.data', data) ?? notBase64(binaryData),
  complete: ({ immutable, data, binaryData }) =>
    filled({ immutable, data: textsOf(data), binaryData: canonical(binaryData) }),
  validate: (object, old) => {
    const { data, binaryData } = object;
    const binaryValues = objectOf(binaryData);
    const repeated = Object.keys(objectOf(data)).filter((key) => Object.hasOwn(binaryValues, key));
    return [
      ...keyErrors('data', data),
      ...keyErrors('binaryData', binaryData),
      ...repeated.map((key) => fieldError.invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')),
      ...immutableErrors(object, old, ['data', 'binaryData']),
    ];
  },
});

/** `stringData` is write-only, and is stored in `data`. */
export const secrets = resource({
  plural: 'secrets',
  kind: 'Secret',
  fields: ['immutable', 'data', 'stringData', 'type'],
  selectable: byPath('type'),
  decodeError: ({ data, stringData }) => notBase64(data) ?? notTexts('Secret.stringData', stringData),
  complete: ({ immutable, data, stringData, type }) => {
    const written = Object.entries(textsOf(stringData)).map(([key, text]) => [key, base64(Buffer.from(text, 'utf8'))]);
    const values = { ...canonical(data), ...Object.fromEntries(written) };
    return { ...filled({ immutable, data: values }), type: type || 'Opaque' };
  },
  validate: (object, old) => [
    ...keyErrors('data', object['data']),
    ...missingOf(object),
    ...(old === undefined || old['type'] === object['type']
      ? []
      : [fieldError.invalid('type', object['type'], 'field is immutable')]),
    ...immutableErrors(object, old, ['data']),
  ],
});

/** The required keys of Secrets by type. */
const neededKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
};

function missingOf({ type, data }: KubeObject): readonly FieldError[] {
  const needed = neededKeys[textOf(type) ?? ''] ?? [];
  const has = objectOf(data);
  return needed.filter((key) => !Object.hasOwn(has, key)).map((key) => fieldError.required(`data[${key}]`));
}

function keyErrors(field: string, data: unknown): readonly FieldError[] {
  const wrong = Object.keys(objectOf(data)).filter(
    (key) => !/^[-._a-zA-Z0-9]{1,253}$/.test(key) || /^\.\.?$/.test(key),
  );
  const why = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
  return wrong.map((key) => fieldError.invalid(`${field}[${key}]`, key, why));
}

/** Refuses changes of the content, and of `immutable`, in an immutable object. */
function immutableErrors(
  object: KubeObject,
  old: KubeObject | undefined,
  fields: readonly string[],
): readonly FieldError[] {
  if (old?.['immutable'] !== true) return [];
  const changed = [
    ...(object['immutable'] === true ? [] : ['immutable']),
    ...fields.filter((field) => !isDeepStrictEqual(objectOf(object[field]), objectOf(old[field]))),
  ];
  return changed.map((field) => fieldError.forbidden(field, 'field is immutable when `immutable` is set'));
}

function notTexts(where: string, data: unknown): string | undefined {
  if (data === undefined || data === null) return undefined;
  const go = (value: unknown) => `json: cannot unmarshal ${goTypeOf(value)} into Go struct field ${where} of type`;
  if (!isObject(data)) return `${go(data)} map[string]string`;
  const wrong = Object.values(data).find((value) => typeof value !== 'string' && value !== null);
  return wrong === undefined ? undefined : `${go(wrong)} string`;
}

function notBase64(data: unknown): string | undefined {
  if (data === undefined || data === null) return undefined;
  if (!isObject(data)) return `json: cannot unmarshal ${goTypeOf(data)} into a map`;
  for (const value of Object.values(data)) {
    if (value === null) continue;
    if (typeof value !== 'string') return `json: cannot unmarshal ${goTypeOf(value)} into bytes`;
    const text = value.replace(/[\r\n]/g, '');
    if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) continue;
    const at = text.search(/[^A-Za-z0-9+/]/);
    return `illegal base64 data at input byte ${at === -1 ? text.length : at}`;
  }
  return undefined;
}

function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Returns the texts, with an empty one for a null. */
function textsOf(data: unknown): Readonly<Record<string, string>> {
  if (isTexts(data)) return data;
  return Object.fromEntries(Object.entries(objectOf(data)).map(([key, value]) => [key, textOf(value) ?? '']));
}

function isTexts(data: unknown): data is Readonly<Record<string, string>> {
  return isObject(data) && Object.values(data).every((value) => typeof value === 'string');
}

/** Encodes base64 again, because clients may send other padding bits and line breaks than the server. */
function canonical(data: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(textsOf(data));
  return Object.fromEntries(entries.map(([key, text]) => [key, base64(Buffer.from(text, 'base64'))]));
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64');
}

/** Omits absent and empty fields. */
function filled(fields: JsonObject): JsonObject {
  const has = (value: unknown) => value !== undefined && (!isObject(value) || Object.keys(value).length > 0);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => has(value)));
}
