import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from '../../test/cluster/support/plane/access.ts';
import type { Outcome, Trial } from './cases.ts';
import type { Observer, Seen } from './observer.ts';
import { dependantManifest, type Manifest, serviceManifests } from './workloads.ts';

export interface Stage {
  readonly cluster: Cluster;
  readonly observer: Observer;
  readonly signal: AbortSignal;
}

/** Plays one trial: the service goes away, the dependant's back-off grows, the service comes back. */
export async function play(trial: Trial, { cluster, observer, signal }: Stage): Promise<Outcome> {
  const { name, lives, backOff, returnsAfter, helped } = trial;
  const create = async ({ path, body }: Manifest): Promise<unknown> => cluster.api('POST', path, body);
  for (const manifest of serviceManifests(trial)) await create(manifest);
  await observer.when(() => observer.isServiceReady(name), signal);
  await create(dependantManifest(trial));
  const isUp = (): boolean => observer.pods(name).some(({ isReady }) => isReady);
  await observer.when(isUp, signal);

  await tell(trial, 'away');
  await observer.when(() => !observer.isServiceReady(name), signal);
  let held: Seen | undefined;
  await observer.when(() => {
    held = observer.pods(name).find((pod) => pod.reported !== 'other' && backOffOf(pod) === backOff);
    return held !== undefined;
  }, signal);
  const before = held;
  if (before === undefined) throw new Error(`${name}: no back-off of ${backOff} s`);
  await pause(Math.max(0, before.finishedAt + returnsAfter * 1000 - Date.now()), undefined, { signal });

  await tell(trial, 'back');
  const readyAt = await observer.when(() => observer.isServiceReady(name), signal);
  const [now = before] = observer.pods(name).filter(({ uid }) => uid === before.uid);
  const into = Math.round((Date.now() - before.finishedAt) / 1000);
  const movedAt = await observer.when(() => observer.isDeleted(before.uid) || isUp(), signal);
  const upAt = await observer.when(isUp, signal);
  const [after] = observer.pods(name).filter(({ isReady }) => isReady);
  return {
    lives,
    backOff,
    returnsAfter,
    helped,
    seconds: (upAt - readyAt) / 1000,
    ...(observer.isDeleted(before.uid) ? { deletedAfter: (movedAt - readyAt) / 1000 } : {}),
    reported: now.reported === 'CrashLoopBackOff' ? 'CrashLoopBackOff' : 'terminated',
    into,
    replaced: after?.uid !== before.uid,
  };
}

/** The first exit is followed by a restart at once, the next by a back-off of 10 s, and so on. Seconds. */
function backOffOf({ restarts }: Seen): number {
  return restarts === 0 ? 0 : 10 * 2 ** (restarts - 1);
}

async function tell({ port, name }: Trial, what: 'away' | 'back'): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/${what}`, { method: 'POST' });
  if (!answer.ok) throw new Error(`${name}: the service answers ${answer.status}`);
}
