import { ExactInteger, failed, isObject, type JsonObject, objectOf, ok, type Result } from '@weeder/kube-runtime/base';
import { dnsLabel } from '@weeder/kube-runtime/objects';
import { type Path, quoted } from '../../base/fieldError.ts';
import { isSecret } from '../objects/confidential.ts';
import { withoutNulls } from '../objects/nulls.ts';
import { roundedIn } from '../objects/roundedNumbers.ts';
import { unknownNode } from '../objects/schemaNode.ts';
import { withoutServerOwned } from '../objects/serverOwned.ts';
import type { FieldError, FieldErrorCode, UnresolvedManifest } from './application.ts';
import { withoutStringData, wrongSecretData } from './secretData.ts';

/** The application that contains the manifest. In a file, its namespace may be left out. */
export interface Home {
  readonly namespace: string | undefined;
  readonly name: string;
}

/** Reads one item of `spec.manifests`, or returns all its errors. */
export function readManifest(value: unknown, index: number, home: Home): Result<UnresolvedManifest, FieldError[]> {
  const errors: FieldError[] = [];
  const refuse = (code: FieldErrorCode, path: Path, message: string) => {
    errors.push({ code, path: ['spec', 'manifests', index, ...path], message, manifest: index });
  };
  if (!isObject(value)) {
    refuse('notAnObject', [], `found ${nameOfType(value)}, expected a Kubernetes object`);
    return failed(errors);
  }
  const { apiVersion, kind } = value;
  const { name, namespace, generateName } = objectOf(value['metadata']);
  if (isList(value)) {
    refuse('list', ['kind'], 'a List is not allowed: put its items into manifests one by one');
    return failed(errors);
  }
  const type = readType(apiVersion, kind, refuse);
  const isGenerated = isThere(generateName) && !isThere(name);
  if (isGenerated) refuse('generateName', ['metadata', 'generateName'], noFixedName);
  const isNamed = isName(name, refuse, !isGenerated);
  const place = readNamespace(namespace, refuse);
  if (type !== undefined && isSecret(type)) {
    for (const path of wrongSecretData(value)) refuse('secretValue', path, wrongSecretValue(path));
  }
  for (const path of roundedIn(value)) refuse('number', path, rounded);
  if (type === undefined || !isNamed || errors.length > 0) return failed(errors);
  const manifest = { index, ...type, namespace: place, name, object: cleaned(value, type) };
  if (!isItself(manifest, home)) return ok(manifest);
  refuse('itself', [], 'an application cannot hold itself');
  return failed(errors);
}

function wrongSecretValue({ length }: Path): string {
  return length === 1
    ? 'must be a mapping of strings (its content is not shown)'
    : 'must be a string (its value is not shown)';
}

type Refuse = (code: FieldErrorCode, path: Path, message: string) => void;

interface Type {
  readonly apiVersion: string;
  readonly group: string;
  readonly kind: string;
}

const rounded = 'an integer beyond 64 bits, which Kubernetes rounds: write it as a text, if its field takes one';
const noFixedName = 'generateName is not allowed: an object without a fixed name cannot be found again; give it a name';

/** `v1`, or a group and a version. */
const apiVersions = /^(?:([a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?)\/)?[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const kinds = /^[A-Za-z](?:[-A-Za-z0-9]{0,61}[A-Za-z0-9])?$/;

function readType(apiVersion: unknown, kind: unknown, refuse: Refuse): Type | undefined {
  const matched = typeof apiVersion === 'string' ? apiVersions.exec(apiVersion) : null;
  if (matched === null)
    refuse('apiVersion', ['apiVersion'], wrong(apiVersion, 'expected a text such as v1 or apps/v1'));
  const isKind = typeof kind === 'string' && kinds.test(kind);
  if (!isKind) refuse('kind', ['kind'], wrong(kind, 'expected a text such as Deployment'));
  if (matched === null || typeof apiVersion !== 'string' || !isKind) return undefined;
  return { apiVersion, group: matched[1] ?? '', kind };
}

/** What a path can hold: kinds have other rules, which the API server checks. */
function isName(name: unknown, refuse: Refuse, isNeeded: boolean): name is string {
  if (!isThere(name)) {
    if (isNeeded) refuse('name', ['metadata', 'name'], 'missing; every object needs a name');
    return false;
  }
  if (typeof name === 'string' && name.length <= 253 && !/^\.\.?$|[/%]/.test(name) && !hasControls(name)) return true;
  refuse('name', ['metadata', 'name'], wrong(name, 'expected a text without "/" and "%", at most 253 characters'));
  return false;
}

function hasControls(text: string): boolean {
  return /[\p{Cc}\p{Cs}]/u.test(text);
}

function readNamespace(namespace: unknown, refuse: Refuse): string | undefined {
  if (!isThere(namespace)) return undefined;
  if (typeof namespace === 'string' && dnsLabel.pattern.test(namespace)) return namespace;
  refuse('namespace', ['metadata', 'namespace'], wrong(namespace, `allowed are ${dnsLabel.allowed}`));
  return undefined;
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** `kind: List`, or a kind such as ConfigMapList. Some kinds with this suffix are not lists. */
function isList({ kind, items, metadata }: JsonObject): boolean {
  if (kind === 'List') return true;
  const isNamed = isThere(objectOf(metadata)['name']);
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items) && !isNamed;
}

function isItself({ group, kind, namespace, name }: UnresolvedManifest, home: Home): boolean {
  if (group !== 'weeder.dev' || kind !== 'Application' || name !== home.name) return false;
  return namespace === undefined || namespace === home.namespace;
}

function cleaned(value: JsonObject, type: Type): JsonObject {
  if (isSecret(type)) return withoutStringData(withoutServerOwned(withoutNulls(value, unknownNode), type));
  return withoutServerOwned({ ...value, metadata: withoutNulls(objectOf(value['metadata']), unknownNode) }, type);
}

function wrong(value: unknown, expected: string): string {
  if (!isThere(value)) return `missing; ${expected}`;
  const typeText = typeof value === 'string' ? quoted(value) : nameOfType(value);
  return `found ${typeText}, ${expected}`;
}

function nameOfType(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof ExactInteger) return `the number ${value}`;
  if (typeof value === 'object') return 'a mapping';
  return typeof value === 'string' ? 'a text' : `${typeof value === 'number' ? 'the number' : ''} ${value}`.trim();
}
