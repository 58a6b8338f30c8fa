import { arrayOf, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { failed, type Outcome } from '../objects/applyFailure.ts';
import { type ApplicationOwner, annotationName, labelName } from '../objects/fieldManagers.ts';
import { type Identity, identityText } from '../objects/identity.ts';

/** The owner of an object by its label: this application, none, or another one by its known name. */
type Ownership = { readonly type: 'ours' | 'none' } | { readonly type: 'otherApplication'; readonly by: string };

export function ownershipOf(live: JsonObject, owner: ApplicationOwner): Ownership {
  const { labels, annotations } = objectOf(live['metadata']);
  const label = textOf(objectOf(labels)[labelName]);
  if (label === undefined) return { type: 'none' };
  if (label === owner.label) return { type: 'ours' };
  const name = textOf(objectOf(annotations)[annotationName]);
  return { type: 'otherApplication', by: name === undefined || name === owner.name ? label : name };
}

/** Returns the failure that names both applications. */
export function ownershipConflict(by: string, owner: ApplicationOwner, identity: Identity): Outcome<never> {
  const reason = `${identityText(identity)} belongs to the application ${by}, and not to ${owner.name}.`;
  return failed('claimed', reason, { by });
}

/** Returns true if the object has a `deletionTimestamp`. */
export function isTerminating(live: JsonObject): boolean {
  return objectOf(live['metadata'])['deletionTimestamp'] !== undefined;
}

export function uidOf(object: JsonObject): string | undefined {
  return textOf(objectOf(object['metadata'])['uid']);
}

export function versionOf(object: JsonObject): string | undefined {
  return textOf(objectOf(object['metadata'])['resourceVersion']);
}

/** Returns true if this manager owns a field of the object. */
export function hasManager(live: JsonObject, manager: string): boolean {
  return arrayOf(objectOf(live['metadata'])['managedFields']).some((entry) => objectOf(entry)['manager'] === manager);
}

/**
 * Returns true if an object may be deleted, released or recreated for an application: it has the application's label,
 * and the uid in the response to an apply. If that response was lost, an object that only the application has written
 * is proof itself, because the apply has created it. An object that existed before is left alone.
 */
export function isProvenApplied(live: JsonObject, owner: ApplicationOwner, appliedUid: string | undefined): boolean {
  if (ownershipOf(live, owner).type !== 'ours') return false;
  if (appliedUid !== undefined && uidOf(live) === appliedUid) return true;
  return (hasManager(live, owner.own) || hasManager(live, owner.init)) && isManagedOnlyBy(live, owner);
}

/**
 * Returns the failure to delete, release or recreate an object that is not proven to be applied by this application.
 */
export function notApplied(owner: ApplicationOwner, identity: Identity): Outcome<never> {
  return failed('otherUid', `${identityText(identity)} is left as it is: ${owner.name} has not applied this object.`);
}

/** Returns true if only its application has written the object, apart from its status. */
export function isManagedOnlyBy(live: JsonObject, { own, init }: ApplicationOwner): boolean {
  return arrayOf(objectOf(live['metadata'])['managedFields'])
    .map(objectOf)
    .every(({ manager, subresource }) => manager === own || manager === init || subresource === 'status');
}
