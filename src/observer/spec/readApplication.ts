import { arrayOf, isObject, type JsonObject, numberOf, objectOf, textOf } from '@weeder/kube-runtime/base';
import { dnsLabel, dnsSubdomain } from '@weeder/kube-runtime/objects';
import type { Located } from '../../config/text/located.ts';
import { fieldErrorsOf, noMessage } from '../../config/text/messages.ts';
import { isSecret } from '../objects/confidential.ts';
import { finalizer, forceFinalizeName } from '../objects/fieldManagers.ts';
import { bytesOf, excessOf } from '../objects/measure.ts';
import type {
  Application,
  ApplicationSpec,
  ApplicationWarning,
  FieldError,
  FieldErrorCode,
  UnresolvedManifest,
} from './application.ts';
import { applicationSpec, specKeysAt } from './applicationSpec.ts';
import { readInventory } from './inventory.ts';
import { type Home, readManifest } from './readManifest.ts';
import { findDuplicates } from './resolveNamespace.ts';
import { hasContent } from './secretData.ts';

/** Bytes. etcd accepts 1.5 MiB in total, and the status needs a part of that. */
const maxManifestBytes = 1024 * 1024;
const deepestManifest = 100;
/** Bytes. No object that etcd accepts is larger. */
const maxObjectBytes = 4 * maxManifestBytes;

/** Differs from the generation of every object. */
export const unknownGeneration = 0;

/**
 * Reads an Application from the API server's object. Returns undefined if it is not one, or has an invalid name. Never
 * throws. `before`: the previous version, whose parsed spec is reused if the generation is the same.
 */
export function readApplication(object: unknown, before?: Application): Application | undefined {
  const { metadata, spec, status, kind } = objectOf(object);
  const metadataFields = objectOf(metadata);
  const [namespace, name, uid, resourceVersion] = ['namespace', 'name', 'uid', 'resourceVersion'].map((key) =>
    textOf(metadataFields[key]),
  );
  if (kind !== 'Application' || !namespace || !name || !uid || !resourceVersion) return undefined;
  if (!dnsLabel.pattern.test(namespace) || !dnsSubdomain.pattern.test(name)) return undefined;
  const generation = numberOf(metadataFields['generation']) ?? unknownGeneration;
  const finalizers = arrayOf(metadataFields['finalizers']).flatMap((each) => textOf(each) ?? []);
  const isSameSpec = before?.uid === uid && before.generation === generation && generation !== unknownGeneration;
  return {
    namespace,
    name,
    uid,
    resourceVersion,
    generation,
    createdAt: textOf(metadataFields['creationTimestamp']) ?? '',
    resources: isSameSpec ? before.resources : arrayOf(objectOf(spec)['manifests']).length,
    bytes: isSameSpec ? before.bytes : bytesOf(spec, maxObjectBytes),
    isTerminating: textOf(metadataFields['deletionTimestamp']) !== undefined,
    hasFinalizer: finalizers.includes(finalizer),
    finalizers,
    isForced: objectOf(metadataFields['annotations'])[forceFinalizeName] === 'true',
    ...(isSameSpec ? specOf(before) : readSpec(spec, { namespace, name })),
    inventory: readInventory(objectOf(status)['resources']),
    observedGeneration: numberOf(objectOf(status)['observedGeneration']) ?? 0,
  };
}

/** A spec with all its errors and warnings. */
type ReadSpec = Pick<Application, 'spec' | 'errors' | 'warnings'>;

function specOf({ spec, errors, warnings }: ReadSpec): ReadSpec {
  return { spec, errors, warnings };
}

/** Reads a spec. `root`: the positions of the object's values in a file, for messages that quote it. */
export function readSpec(spec: unknown, home: Home, root?: Located): ReadSpec {
  if (!isObject(spec)) {
    const errors = [ofWhole('spec', ['spec'], 'missing; an application needs a spec with manifests')];
    return { spec: { ...settingsOf({}), manifests: [], schema: undefined }, errors, warnings: [] };
  }
  const manifests = readManifests(spec['manifests'], home);
  const schema = readSchema(spec['observerSchema']);
  const errors = [...settingsErrors(spec, root), ...manifests.errors, ...schema.errors];
  const read = { ...settingsOf(spec), manifests: manifests.read, schema: schema.read };
  return { spec: read, errors, warnings: warningsOf(read, spec['recreate'], errors.length > 0) };
}

function readManifests(value: unknown, home: Home) {
  const whole = (code: FieldErrorCode, message: string) => ({
    read: [],
    errors: [ofWhole(code, ['spec', 'manifests'], message)],
  });
  if (!Array.isArray(value)) return whole('manifestsMissing', 'expected a list of Kubernetes objects');
  // A template that renders to nothing must not delete everything.
  if (value.length === 0) return whole('manifestsMissing', 'this list is empty; to end the application, delete it');
  const excess = excessOf(value, { bytes: maxManifestBytes, depth: deepestManifest + 1 });
  if (excess === 'tooLarge') return whole(excess, 'larger than 1 MiB in total; split it into several applications');
  if (excess === 'tooDeep') return whole(excess, `nested more than ${deepestManifest} levels deep`);
  const results = value.map((item, index) => readManifest(item, index, home));
  const read = results.flatMap((result) => (result.ok ? [result.value] : []));
  // It is not known yet which kinds are cluster-scoped. Their duplicates are found when the namespaces are resolved.
  const places = read.map(({ index, group, kind, namespace, name }) => ({
    index,
    identity: { group, kind, namespace: namespace ?? home.namespace ?? '', name },
  }));
  return { read, errors: [...results.flatMap((each) => (each.ok ? [] : each.error)), ...findDuplicates(places)] };
}

/** Checks the limits only. The content is read once the namespaces of the manifests are resolved. */
function readSchema(value: unknown) {
  const excess = excessOf(value, { bytes: maxManifestBytes, depth: deepestManifest + 1 });
  if (excess === undefined) return { read: value, errors: [] };
  const message = excess === 'tooLarge' ? 'larger than 1 MiB' : `nested more than ${deepestManifest} levels deep`;
  return { read: undefined, errors: [ofWhole(excess, ['spec', 'observerSchema'], message)] };
}

function settingsErrors(spec: JsonObject, root: Located | undefined): readonly FieldError[] {
  const parsed = applicationSpec.safeParse(spec, { error: () => noMessage });
  if (parsed.success) return [];
  const places = root ?? withoutPlaces({ spec });
  return parsed.error.issues
    .flatMap((issue) => fieldErrorsOf({ ...issue, path: ['spec', ...issue.path] }, places, specKeysAt))
    .map(({ path, message }) => ofWhole('spec', path, message));
}

/** Reads each setting separately. A setting that cannot be read gets its harmless value. */
function settingsOf(spec: JsonObject): Omit<ApplicationSpec, 'manifests' | 'schema'> {
  const { mode, pausedUntil, resyncPeriod, deletionPolicy, serviceAccountName, ...lists } = applicationSpec.shape;
  return {
    mode: mode.safeParse(spec['mode']).data ?? 'detect',
    pausedUntil: pausedUntil.safeParse(spec['pausedUntil']).data,
    resyncPeriod: resyncPeriod.safeParse(spec['resyncPeriod']).data ?? 30_000,
    deletionPolicy: deletionPolicy.safeParse(spec['deletionPolicy']).data ?? 'orphan',
    recreate: new Set(lists.recreate.safeParse(spec['recreate']).data),
    deleteWithContents: new Set(lists.deleteWithContents.safeParse(spec['deleteWithContents']).data),
    serviceAccountName: serviceAccountName.safeParse(spec['serviceAccountName']).data,
  };
}

function warningsOf({ manifests }: ApplicationSpec, recreate: unknown, isInvalid: boolean): ApplicationWarning[] {
  const secrets = manifests.filter((each) => isSecret(each) && hasContent(each.object));
  const inline = secrets.map(({ index }) => ({ path: ['spec', 'manifests', index], message: inlineSecret }));
  const named = new Set(manifests.map(({ kind, name }: UnresolvedManifest) => `${kind}/${name}`));
  const unused = arrayOf(recreate).flatMap((entry, index) =>
    isInvalid || named.has(String(entry))
      ? []
      : [{ path: ['spec', 'recreate', index], message: 'names none of the manifests' }],
  );
  return [...inline, ...unused];
}

const inlineSecret =
  'the content of a Secret is in clear text here, visible to everyone who may read the application, and not encrypted at rest as Secrets are';

function ofWhole(code: FieldErrorCode, path: readonly PropertyKey[], message: string): FieldError {
  return { code, path, message, manifest: undefined };
}

/** Returns a value without positions in a text, as deep as the messages need it. */
function withoutPlaces(value: unknown, depth = 0): Located {
  const inner = depth > 3 ? [] : Array.isArray(value) ? [...value.entries()] : Object.entries(objectOf(value));
  const children = new Map(inner.map(([key, child]): [PropertyKey, Located] => [key, withoutPlaces(child, depth + 1)]));
  return { value, offset: 0, keyOffset: undefined, source: undefined, children };
}
