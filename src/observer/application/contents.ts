import { arrayOf, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { apiPath } from '@weeder/kube-runtime/objects';
import type { ApplicationEntry } from '../entries/entries.ts';
import { done, failed, type Outcome } from '../objects/applyFailure.ts';
import { type Identity, identityKey, kindText } from '../objects/identity.ts';
import { isTerminating } from '../ownership/ownership.ts';
import type { Collection, Contents } from '../plan/resourceApi.ts';
import type { ObserverEffects } from '../streams/observerEffects.ts';
import { lists } from './successor.ts';

type ContentsEffects = Pick<ObserverEffects, 'allEntries' | 'restMapper'>;

/**
 * Returns what would be deleted with an object of the application: the instances of a definition, or what is in a
 * Namespace. Undefined for all other objects, and if the application allows the loss.
 */
export function contentsOf(
  { allEntries, restMapper }: ContentsEffects,
  entry: ApplicationEntry,
  identity: Identity,
): Contents | undefined {
  const { group, kind, name } = identity;
  const field = `${kind}/${name}`;
  if (entry.newest.spec.deleteWithContents.has(field)) return undefined;
  const remedy = `To allow that, add ${field} to spec.deleteWithContents`;
  if (group === 'apiextensions.k8s.io' && kind === 'CustomResourceDefinition')
    return {
      remedy,
      others: 'that no known Application lists',
      collections: async (live) => instancesOf(live),
      mayBeLost: (instance, metadata) =>
        isTerminating({ metadata }) || [...allEntries()].some((each) => lists(each, instance)),
    };
  if (group !== '' || kind !== 'Namespace') return undefined;
  return {
    remedy,
    others: 'that this Application does not list',
    async collections() {
      const kinds = await restMapper.namespacedKinds();
      if (!kinds.ok) return kinds;
      const kept = kinds.value.filter((each) => !records.has(kindText(each)));
      return done(kept.map((each) => collectionOf(each, each.version, each.plural, name)));
    },
    mayBeLost: (object, metadata) =>
      isTerminating({ metadata }) ||
      arrayOf(metadata['ownerReferences']).length > 0 ||
      ofEachNamespace.has(`${kindText(object)}/${object.name}`) ||
      entry.pendingRemovals.has(identityKey(object)) ||
      entry.resources.has(identityKey(object)),
  };
}

/** What controllers derive from other objects, or only note. */
const records: ReadonlySet<string> = new Set(['Event', 'Endpoints', 'EndpointSlice', 'Lease']);

/** The control plane creates these in each namespace. */
const ofEachNamespace: ReadonlySet<string> = new Set(['ServiceAccount/default', 'ConfigMap/kube-root-ca.crt']);

/** All served versions have the same instances. */
function instancesOf(definition: JsonObject): Outcome<readonly Collection[]> {
  const { group, names, versions } = objectOf(definition['spec']);
  const { plural, kind } = objectOf(names);
  const served = arrayOf(versions)
    .map(objectOf)
    .find((version) => version['served'] === true);
  if (served === undefined) return failed('permanent', 'No version of it is served.');
  const [itsGroup = '', itsKind = ''] = [textOf(group), textOf(kind)];
  return done([collectionOf({ group: itsGroup, kind: itsKind }, textOf(served['name']) ?? '', textOf(plural) ?? '')]);
}

function collectionOf(
  { group, kind }: Pick<Identity, 'group' | 'kind'>,
  version: string,
  plural: string,
  namespace?: string,
): Collection {
  return { group, kind, path: apiPath(group === '' ? version : `${group}/${version}`, plural, { namespace }) };
}
