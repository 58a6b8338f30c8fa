/**
 * Finds the application that takes over an object which another one gives up: a live one whose manifests list it, be it
 * applied, in conflict, invalid, paused or in mode detect. Of several, the oldest one whose account may patch the object.
 * One of another namespace without that permission does not count, because naming an object must not keep it from being
 * deleted. Makes no request while no other application lists the object.
 */

import type { ApplicationEntry } from '../entries/entries.ts';
import { done, type Outcome } from '../objects/applyFailure.ts';
import type { Identity } from '../objects/identity.ts';
import type { RestMapping } from '../plan/resourceApi.ts';
import { whyNotAllowed } from '../spec/allowed.ts';
import type { ObserverEffects } from '../streams/observerEffects.ts';
import { accountOf, targetOf } from './planResources.ts';

/** `mayHave`: its account may patch the object, and the config lets it have the object. */
export interface Successor {
  readonly entry: ApplicationEntry;
  readonly mayHave: boolean;
}

/** Undefined: no application takes the object over. A failure says nothing about the permissions. */
export async function successorOf(
  effects: ObserverEffects,
  leaving: ApplicationEntry,
  identity: Identity,
  kind: RestMapping,
  signal: AbortSignal,
): Promise<Outcome<Successor | undefined>> {
  let near: ApplicationEntry | undefined;
  for (const entry of candidatesFor(effects, leaving, identity).toSorted(byAge)) {
    const may = await mayHave(effects, entry, identity, kind, signal);
    if (!may.ok) return may;
    if (may.value) return done({ entry, mayHave: true });
    if (entry.about.namespace === leaving.about.namespace) near ??= entry;
  }
  return done(near && { entry: near, mayHave: false });
}

/** The live applications whose manifests list the object, with or without the permission. */
export function candidatesFor(
  { allEntries }: Pick<ObserverEffects, 'allEntries'>,
  leaving: ApplicationEntry,
  identity: Identity,
): readonly ApplicationEntry[] {
  return [...allEntries()].filter((entry) => entry !== leaving && lists(entry, identity));
}

/** The application is live, and its manifests list the object. */
export function lists({ newest }: ApplicationEntry, { group, kind, namespace, name }: Identity): boolean {
  if (newest.isTerminating) return false;
  return newest.spec.manifests.some(
    (each) =>
      each.name === name &&
      each.kind === kind &&
      each.group === group &&
      (namespace === '' || (each.namespace ?? newest.namespace) === namespace),
  );
}

function byAge({ newest: one }: ApplicationEntry, { newest: other }: ApplicationEntry): number {
  return one.createdAt < other.createdAt ? -1 : Number(one.createdAt > other.createdAt);
}

async function mayHave(
  { access, allow, mayUseOwnRights }: ObserverEffects,
  { newest }: ApplicationEntry,
  identity: Identity,
  kind: RestMapping,
  signal: AbortSignal,
): Promise<Outcome<boolean>> {
  if (whyNotAllowed(allow(), newest.namespace, identity) !== undefined) return done(false);
  const target = targetOf(kind, identity, accountOf(newest, mayUseOwnRights));
  const verified = await access.verifyWrite(target, signal);
  if (verified.ok) return done(true);
  return verified.failure.type === 'forbidden' ? done(false) : verified;
}
