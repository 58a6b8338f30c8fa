import { objectOf, textOf } from '@weeder/kube-runtime/base';
import { dnsLabel, dnsSubdomain, type NameRule } from '@weeder/kube-runtime/objects';
import { type Path, quoted } from '../../base/fieldError.ts';
import { type Located, type LocatedError, located, offsetOf } from '../../config/text/located.ts';
import { groupVersionOf } from '../kinds/servedKinds.ts';
import { applicationVersion } from '../objects/fieldManagers.ts';
import { type Identity, identityKey, identityText, type Manifest } from '../objects/identity.ts';
import { withoutNulls } from '../objects/nulls.ts';
import { observesAnything } from '../schema/fieldMask.ts';
import { fieldMaskFor, unusedEntries } from '../schema/fieldMaskFor.ts';
import { type ObserverSchema, readObserverSchema } from '../schema/readObserverSchema.ts';
import type { SchemaError } from '../schema/schemaErrors.ts';
import { builtInTopologies } from '../topology/builtInTopologies.ts';
import type { Topologies } from '../topology/topologies.ts';
import type { ApplicationSpec, ApplicationWarning, UnresolvedManifest } from './application.ts';
import { specKeysAt } from './applicationSpec.ts';
import { readSpec } from './readApplication.ts';
import { repeatedKeys } from './repeatedKeys.ts';
import { resolveNamespace } from './resolveNamespace.ts';

/** The result of checking an Application in a file, without a cluster. */
export interface CheckedApplication {
  /** `shop/web`, or the part of it that the file has. */
  readonly name: string;
  readonly spec: ApplicationSpec;
  /** In the order of the manifests. */
  readonly resources: readonly CheckedResource[];
  readonly errors: readonly LocatedError[];
  readonly warnings: readonly LocatedError[];
}

interface CheckedResource {
  readonly identity: Identity;
  /** Its index in `spec.manifests`. */
  readonly index: number;
  /** The observed part: every field of its manifest, the fields in its entry of the schema, or its existence. */
  readonly observed: 'all' | 'listed' | 'presence';
}

/**
 * Returns true if a document is an Application of weeder, of any version. Other projects have kinds of this name, such
 * as Argo CD.
 */
export function isApplication({ value }: Located): boolean {
  const { apiVersion, kind } = objectOf(value);
  return kind === 'Application' && textOf(apiVersion)?.startsWith('weeder.dev/') === true;
}

/**
 * Reads Applications as weeder does, and returns all their errors with the positions in the text. These include a
 * resource that two Applications have, since weeder would refuse the second.
 */
export function checkApplications(roots: readonly Located[]): readonly CheckedApplication[] {
  const owners = new Map<string, string>();
  const topologies = builtInTopologies();
  return roots.map((root) => {
    const checked = checkApplication(root, topologies);
    const claims = checked.resources.flatMap(({ identity, index }) => {
      const owner = owners.get(identityKey(identity));
      const message = `${identityText(identity)} is also a resource of the application ${owner} in this file`;
      return owner === undefined || owner === checked.name ? [] : [{ path: ['spec', 'manifests', index], message }];
    });
    for (const { identity } of checked.resources) owners.set(identityKey(identity), checked.name);
    return { ...checked, errors: [...checked.errors, ...claims.map((error) => inPlace(root, error))] };
  });
}

function checkApplication(root: Located, topologies: Topologies): CheckedApplication {
  const { apiVersion, metadata, spec: written } = objectOf(root.value);
  const { name, namespace } = objectOf(metadata);
  const home = { name: textOf(name) ?? '', namespace: textOf(namespace) };
  const { spec, errors, warnings } = readSpec(written, home, root);
  const ofObject = [
    ...(apiVersion === applicationVersion ? [] : [{ path: ['apiVersion'], message: `expected ${applicationVersion}` }]),
    ...nameError(['metadata', 'name'], name, dnsSubdomain, true),
    ...nameError(['metadata', 'namespace'], namespace, dnsLabel, false),
  ];
  const schema = readObserverSchema(spec.schema);
  const manifests = spec.manifests.map((manifest) => resolvedOffline(manifest, home.namespace, schema));
  const ofSchema = errorsOfSchema(schema, manifests, errors.length === 0);
  const ofLists = spec.manifests.flatMap((manifest) => listErrors(manifest, topologies));
  return {
    name: home.namespace === undefined ? home.name : `${home.namespace}/${home.name}`,
    spec,
    resources: manifests.map((manifest, place) => ({
      identity: manifest.identity,
      index: spec.manifests[place]?.index ?? place,
      observed: observedOf(manifest, schema),
    })),
    errors: [...ofObject, ...errors, ...ofLists, ...ofSchema].map((error) => inPlace(root, error)),
    warnings: warnings.map((warning) => inPlace(root, warning)),
  };
}

/**
 * Only a cluster knows whether a kind is namespaced, so every kind counts as namespaced here. If the file has no
 * namespace, the one in the resource's entry of the schema is used.
 */
function resolvedOffline(
  manifest: UnresolvedManifest,
  home: string | undefined,
  { entries }: ObserverSchema,
): Manifest {
  const named = [...entries.values()].find(
    ({ identity: { group, kind, name } }) =>
      group === manifest.group && kind === manifest.kind && name === manifest.name,
  );
  const namespace = manifest.namespace ?? home ?? named?.identity.namespace ?? '';
  return resolveNamespace({ ...manifest, namespace }, namespace, true);
}

/** Only a cluster knows the lists of kinds that are not built in. */
function listErrors({ index, apiVersion, kind, object }: UnresolvedManifest, topologies: Topologies) {
  const { group, version } = groupVersionOf(apiVersion);
  const topology = topologies.of(group, version, kind);
  return topology === undefined ? [] : repeatedKeys(withoutNulls(object, topology), index, topology);
}

/** Unused entries are reported only if every manifest could be read. */
function errorsOfSchema(schema: ObserverSchema, manifests: readonly Manifest[], isComplete: boolean) {
  const fitting = manifests.flatMap((manifest) => {
    const mask = fieldMaskFor(manifest, schema);
    return mask.ok ? [] : mask.error;
  });
  const unused = isComplete ? unusedEntries(schema, manifests) : [];
  const schemaErrors = new Set<SchemaError>([...schema.errors, ...fitting, ...unused]);
  return [...schemaErrors].map(({ path, message, hint }) => ({
    path: ['spec', 'observerSchema', ...path],
    message: `${message}. ${hint.replace(/\.$/, '')}`,
  }));
}

function observedOf(manifest: Manifest, schema: ObserverSchema): CheckedResource['observed'] {
  const mask = fieldMaskFor(manifest, schema);
  if (!mask.ok || observesAnything(mask.value)) return mask.ok && mask.value.type === 'leaf' ? 'all' : 'listed';
  return 'presence';
}

function nameError(path: Path, value: unknown, { pattern, allowed }: NameRule, isNeeded: boolean) {
  if (value === undefined || value === null) return isNeeded ? [{ path, message: 'missing' }] : [];
  if (typeof value === 'string' && pattern.test(value)) return [];
  const quotedValue = typeof value === 'string' ? quoted(value) : 'no text';
  return [{ path, message: `found ${quotedValue}, allowed are ${allowed}` }];
}

/** Locates an error at the value, or at the key if the key is unknown. */
function inPlace(root: Located, { path, message }: ApplicationWarning): LocatedError {
  const isKnown = path.length !== 2 || specKeysAt(['spec']).includes(String(path[1]));
  const offset = (isKnown ? undefined : located(root, path)?.keyOffset) ?? offsetOf(root, path);
  return { offset, path, message };
}
