import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from '../../test/cluster/support/plane/access.ts';
import type { Outcome, Trial } from './cases.ts';
import type { Observer, PodReport } from './observer.ts';
import { dependantManifest, type Manifest, serviceManifests } from './workloads.ts';

export interface Stage {
  readonly cluster: Cluster;
  readonly observer: Observer;
  readonly signal: AbortSignal;
}

/** Plays one trial: the service goes down, the back-off of the dependant grows, and the service recovers. */
export async function play(trial: Trial, { cluster, observer, signal }: Stage): Promise<Outcome> {
  const { name, runsFor, restarts, longestBackOff, recoversAfter, hasWeeder } = trial;
  const create = async ({ path, body }: Manifest): Promise<unknown> => cluster.api('POST', path, body);
  for (const manifest of serviceManifests(trial)) await create(manifest);
  await observer.when(() => observer.isServiceReady(name), signal);
  await create(dependantManifest(trial));
  const isUp = (): boolean => observer.pods(name).some(({ isReady }) => isReady);
  await observer.when(isUp, signal);

  await setService(trial, 'down');
  await observer.when(() => !observer.isServiceReady(name), signal);
  let backedOff: PodReport | undefined;
  await observer.when(() => {
    backedOff = observer.pods(name).find((pod) => pod.reported !== 'other' && pod.restarts === restarts);
    return backedOff !== undefined;
  }, signal);
  const before = backedOff;
  if (before === undefined) throw new Error(`${name}: no back-off after ${restarts} restarts`);
  await pause(Math.max(0, before.finishedAt + recoversAfter * 1000 - Date.now()), undefined, { signal });

  await setService(trial, 'up');
  const readyAt = await observer.when(() => observer.isServiceReady(name), signal);
  const [now = before] = observer.pods(name).filter(({ uid }) => uid === before.uid);
  const backOffElapsed = Math.round((Date.now() - before.finishedAt) / 1000);
  const movedAt = await observer.when(() => observer.isDeleted(before.uid) || isUp(), signal);
  const upAt = await observer.when(isUp, signal);
  const [after] = observer.pods(name).filter(({ isReady }) => isReady);
  return {
    runsFor,
    restarts,
    longestBackOff,
    recoversAfter,
    hasWeeder,
    seconds: (upAt - readyAt) / 1000,
    ...(observer.isDeleted(before.uid) ? { deletedAfter: (movedAt - readyAt) / 1000 } : {}),
    reported: now.reported === 'CrashLoopBackOff' ? 'CrashLoopBackOff' : 'terminated',
    backOffElapsed,
    replaced: after?.uid !== before.uid,
  };
}

async function setService({ port, name }: Trial, what: 'down' | 'up'): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/${what}`, { method: 'POST' });
  if (!response.ok) throw new Error(`${name}: the service responds with ${response.status}`);
}
