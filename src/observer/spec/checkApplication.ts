import { type Path, quoted } from '../../base/fieldError.ts';
import { objectOf, textOf } from '../../base/json.ts';
import { dnsLabel, dnsSubdomain, type NameRule } from '../../config/schema/names.ts';
import { type Located, type LocatedError, located, offsetOf } from '../../config/text/located.ts';
import { groupVersionOf } from '../kinds/servedKinds.ts';
import { applicationVersion } from '../model/fieldManagers.ts';
import { type Identity, identityKey, identityText, type Manifest } from '../model/identity.ts';
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

/** What can be said of an Application in a file, without a cluster. */
export interface CheckedApplication {
  /** `shop/web`, or as much of it as there is. */
  readonly name: string;
  readonly spec: ApplicationSpec;
  /** In the order of the manifests. */
  readonly resources: readonly CheckedResource[];
  readonly errors: readonly LocatedError[];
  readonly warnings: readonly LocatedError[];
}

interface CheckedResource {
  readonly identity: Identity;
  /** Its place in `spec.manifests`. */
  readonly index: number;
  /** What of it is observed: every field of its manifest, what its entry of the schema lists, or that it is there. */
  readonly observed: 'all' | 'listed' | 'presence';
}

/**
 * Whether a document is an Application of ours, of whatever version. There are other kinds of that name, such as Argo
 * CD's.
 */
export function isApplication({ value }: Located): boolean {
  const { apiVersion, kind } = objectOf(value);
  return kind === 'Application' && textOf(apiVersion)?.startsWith('weeder.dev/') === true;
}

/**
 * Reads Applications as weeder does, and says everything that is wrong with them, with its place in the text: also a
 * resource that two of them have, for the second to come would be refused.
 */
export function checkApplications(roots: readonly Located[]): readonly CheckedApplication[] {
  const owners = new Map<string, string>();
  const known = builtInTopologies();
  return roots.map((root) => {
    const checked = checkApplication(root, known);
    const claims = checked.resources.flatMap(({ identity, index }) => {
      const owner = owners.get(identityKey(identity));
      const message = `${identityText(identity)} is also a resource of the application ${owner} in this file`;
      return owner === undefined || owner === checked.name ? [] : [{ path: ['spec', 'manifests', index], message }];
    });
    for (const { identity } of checked.resources) owners.set(identityKey(identity), checked.name);
    return { ...checked, errors: [...checked.errors, ...claims.map((error) => inPlace(root, error))] };
  });
}

function checkApplication(root: Located, known: Topologies): CheckedApplication {
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
  const manifests = spec.manifests.map((manifest) => placedAsFarAsKnown(manifest, home.namespace, schema));
  const ofSchema = errorsOfSchema(schema, manifests, errors.length === 0);
  const ofLists = spec.manifests.flatMap((manifest) => listErrors(manifest, known));
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
 * Whether a kind lives in namespaces is known to the cluster. Where the file does not say in which one the application
 * will be, the entry of the schema that names one is believed.
 */
function placedAsFarAsKnown(
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

/** Of kinds that are not built in, only a cluster knows. */
function listErrors({ index, apiVersion, kind, object }: UnresolvedManifest, known: Topologies) {
  const { group, version } = groupVersionOf(apiVersion);
  const topology = known.of(group, version, kind);
  return topology === undefined ? [] : repeatedKeys(object, index, topology);
}

/** Unused entries are reported only if every manifest could be read. */
function errorsOfSchema(schema: ObserverSchema, manifests: readonly Manifest[], isComplete: boolean) {
  const fitting = manifests.flatMap((manifest) => {
    const mask = fieldMaskFor(manifest, schema);
    return mask.ok ? [] : mask.error;
  });
  const unused = isComplete ? unusedEntries(schema, manifests) : [];
  const found = new Set<SchemaError>([...schema.errors, ...fitting, ...unused]);
  return [...found].map(({ path, message, hint }) => ({
    path: ['spec', 'observerSchema', ...path],
    message: `${message}. ${hint.replace(/\.$/, '')}`,
  }));
}

function observedOf(manifest: Manifest, schema: ObserverSchema): CheckedResource['observed'] {
  const mask = fieldMaskFor(manifest, schema);
  if (!mask.ok || observesAnything(mask.value)) return mask.ok && mask.value.is === 'leaf' ? 'all' : 'listed';
  return 'presence';
}

function nameError(path: Path, value: unknown, { pattern, allowed }: NameRule, isNeeded: boolean) {
  if (value === undefined || value === null) return isNeeded ? [{ path, message: 'missing' }] : [];
  if (typeof value === 'string' && pattern.test(value)) return [];
  const found = typeof value === 'string' ? quoted(value) : 'no text';
  return [{ path, message: `found ${found}, allowed are ${allowed}` }];
}

/** At the value, or, of a key that there is not, at the key. */
function inPlace(root: Located, { path, message }: ApplicationWarning): LocatedError {
  const isKnown = path.length !== 2 || specKeysAt(['spec']).includes(String(path[1]));
  const offset = (isKnown ? undefined : located(root, path)?.keyOffset) ?? offsetOf(root, path);
  return { offset, path, message };
}
