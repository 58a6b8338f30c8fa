import { failed, isObject, ok, type Result } from '@weeder/kube-runtime/base';
import type { Path } from '../../base/fieldError.ts';
import { type Identity, identityKey, identityText, type Manifest } from '../objects/identity.ts';
import { ownField } from '../objects/jsonValue.ts';
import { type Assigned, serverOwnedIn } from '../objects/serverOwned.ts';
import { type FieldMask, type ListMask, leaf } from './fieldMask.ts';
import type { InvalidEntry, ObserverSchema, SchemaEntry } from './readObserverSchema.ts';
import { createErrorList, type ErrorList, type SchemaError, schemaError } from './schemaErrors.ts';

/**
 * Returns the observed part of a manifest: what the schema's entry for it lists, or every field if there is no entry.
 * The errors are those of its entry and of the entry's fit to the manifest, or those of invalid entries that may be
 * meant for it: to observe every field instead would overwrite fields that the author wants to exclude.
 */
export function fieldMaskFor(manifest: Manifest, schema: ObserverSchema): Result<FieldMask, readonly SchemaError[]> {
  const { identity, object } = manifest;
  const entry = entryFor(identity, schema);
  if (entry === undefined) {
    const errors = schema.invalid.filter((each) => mayDescribe(each, identity)).flatMap((each) => each.errors);
    return errors.length === 0 ? ok(leaf) : failed(errors);
  }
  const errors = createErrorList();
  const mask = fit(entry.mask, object, [entry.index], errors);
  for (const assigned of serverOwnedIn(object, identity)) checkAssigned(entry, assigned, errors);
  return errors.found.length === 0 ? ok(mask) : failed(errors.found);
}

function checkAssigned({ mask, index }: SchemaEntry, { at, owns }: Assigned, errors: ErrorList): void {
  const map = at.reduce<FieldMask | undefined>(
    (below, step) => (below?.type === 'map' ? below.fields.get(step) : undefined),
    mask,
  );
  if (map?.type !== 'map') return;
  for (const field of map.fields.keys())
    if (owns(field)) errors.add('serverOwned', [index, ...at, field], 'is written by the API server or a controller');
}

/** Returns an error for each entry without a manifest, because nothing that it lists is observed. */
export function unusedEntries(schema: ObserverSchema, manifests: readonly Manifest[]): readonly SchemaError[] {
  const used = new Set(manifests.map(({ identity }) => entryFor(identity, schema)));
  return [...schema.entries.values()]
    .filter((entry) => !used.has(entry))
    .map(({ index, identity }) =>
      schemaError('noSuchResource', [index], `is about ${identityText(identity)}, which is not among the manifests`),
    );
}

/** An entry with a namespace takes precedence over one without. */
function entryFor(identity: Identity, { entries }: ObserverSchema): SchemaEntry | undefined {
  return entries.get(identityKey(identity)) ?? entries.get(identityKey({ ...identity, namespace: '' }));
}

function mayDescribe({ identity: { group, kind, namespace, name } }: InvalidEntry, identity: Identity): boolean {
  const is = (given: string | undefined, own: string) => given === undefined || given === own;
  return (
    is(group, identity.group) &&
    is(kind, identity.kind) &&
    is(name, identity.name) &&
    (namespace === '' || is(namespace, identity.namespace))
  );
}

/** Fits the mask to the manifest's value. A null counts as absent, as for the API server. */
function fit(mask: FieldMask, value: unknown, path: Path, errors: ErrorList): FieldMask {
  const isAbsent = value === undefined || value === null;
  if (mask.type === 'leaf') return mask;
  if (mask.type === 'list') {
    if (!isAbsent && !Array.isArray(value)) errors.add('notAListInManifest', path, 'is not a list in the manifest');
    return Array.isArray(value) || isAbsent ? fitList(mask, value ?? [], path, errors) : mask;
  }
  if (!isAbsent && !isObject(value)) {
    errors.add('notAMapInManifest', path, 'is not a map in the manifest');
    return mask;
  }
  const fields = new Map<string, FieldMask>();
  for (const [name, field] of mask.fields) fields.set(name, fit(field, ownField(value, name), [...path, name], errors));
  return { type: 'map', fields };
}

function fitList(mask: ListMask, values: readonly unknown[], path: Path, errors: ErrorList): FieldMask {
  const { elements, min, max, key } = mask;
  const has = `the manifest has ${values.length}`;
  if (min > values.length) errors.add('minAboveManifest', path, `must have ${min} elements, and ${has}`);
  if (max > 0 && max < values.length) errors.add('maxBelowManifest', path, `may have ${max} elements, and ${has}`);
  if (key !== undefined) checkKeys(key, values, path, errors);
  // An element that the manifest does not have is only subject to the bounds: it has no desired value.
  const fitted = elements
    .slice(0, values.length)
    .map((element, index) => fit(element, values[index], [...path, index], errors));
  return { ...mask, elements: padded(fitted, Math.min(min, values.length)) };
}

/**
 * Only observed elements can be restored, so at least `min` elements are observed. Those that the schema does not list
 * are observed as a whole.
 */
function padded(elements: readonly FieldMask[], min: number): readonly FieldMask[] {
  const missing = Math.max(0, min - elements.length);
  return missing === 0 ? elements : [...elements, ...Array<FieldMask>(missing).fill(leaf)];
}

function checkKeys(key: readonly string[], values: readonly unknown[], path: Path, errors: ErrorList): void {
  const seen = new Set<string>();
  for (const [index, value] of values.entries()) {
    const keyValues = key.map((name) => ownField(value, name));
    const text = JSON.stringify(keyValues);
    if (keyValues.some((each) => each === undefined || each === null || isObject(each) || Array.isArray(each)))
      errors.add('listKeyMissing', [...path, index], `has no plain ${key.join(' and ')} in the manifest`);
    else if (seen.has(text))
      errors.add('listKeyTwice', [...path, index], `is in the manifest twice by ${key.join(' and ')}`);
    seen.add(text);
  }
}
