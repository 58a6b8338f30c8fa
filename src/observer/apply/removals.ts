import type { JsonObject } from '../../base/json.ts';
import { done, failed, type Outcome } from '../model/applyFailure.ts';
import type { Path } from '../model/path.ts';
import { isEnding, uidOf } from '../ownership/ownership.ts';
import { takeOver } from '../ownership/takeOver.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import type { ObserverApi } from './observerApi.ts';

/** Others write at the same time: their writes make the version that was read an old one. */
const mostTries = 5;

/**
 * Makes `manager` the only owner of what `pathsIn` finds, so that its next apply removes it; the object as it is
 * then. Of an object that has changed since it was read, it is read again and looked for again.
 */
export async function takeOverAll(
  api: ObserverApi,
  { target }: ResourcePlan,
  seen: JsonObject,
  pathsIn: (live: JsonObject) => readonly Path[],
  manager: string,
  signal: AbortSignal,
): Promise<Outcome<JsonObject>> {
  let live = seen;
  for (let tries = 1; ; tries += 1) {
    const paths = pathsIn(live);
    if (paths.length === 0) return done(live);
    const reply = await api.patch(target, takeOver(live, paths, manager), manager, signal);
    if (reply.ok || reply.failure.is !== 'conflict' || tries === mostTries) return reply;
    const read = await readSame(api, { target }, live, signal);
    if (!read.ok) return read;
    live = read.value;
  }
}

/** The same object as it is now: not another one of its name, and not one that is being deleted. */
export async function readSame(
  api: ObserverApi,
  { target }: Pick<ResourcePlan, 'target'>,
  seen: JsonObject,
  signal: AbortSignal,
): Promise<Outcome<JsonObject>> {
  const read = await api.read(target, signal);
  if (!read.ok) return read;
  if (uidOf(read.value) !== uidOf(seen)) return failed('otherUid', 'Another object has its name by now.');
  return isEnding(read.value) ? failed('terminating', 'It is being deleted.') : read;
}
