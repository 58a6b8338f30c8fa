import { type Actor, createActor } from 'xstate';
import { type RecreationEvent, type RecreationInput, recreation } from '../../../machines/restart/recreation.ts';
import type { ActorRuntime } from '../../actors/actorRuntime.ts';
import { effectLogic, type Random } from '../../actors/effect.ts';
import { createRegistry } from '../../actors/registry.ts';
import { decodeState } from '../content/state.ts';
import type { HashKeys } from '../digest/hashKeys.ts';
import type { ReportRestart } from '../references/events.ts';
import { workloadKey } from '../references/refs.ts';
import { readWorkload } from '../references/workloadSummary.ts';
import { copyAnnotation, isTrustedCopy, type JobCopy } from '../requests/jobCopy.ts';
import type { RestartApi } from '../requests/restartApi.ts';

/**
 * The Jobs that are being recreated: a `recreation` actor for each copy that is found, each with a system of its own.
 */
export interface Recreations {
  /** Starts the recreation from a copy that this process has just made. */
  take(copy: JobCopy): void;
  /** A Job of this uid claims to be a copy. A copy without weeder's seal is reported once and ignored. */
  found(copy: JobCopy, uid: string): void;
  /** Verifies the copies that were found before any key was known. */
  keysChanged(): void;
  /** A Job, or a copy, of this `workloadKey` has changed. */
  changed(id: string): void;
  /**
   * Locks a Job while a decision about it is made: meanwhile no copy of it is deleted, and its updates wait. Returns
   * undefined while a copy of it is being deleted.
   */
  lock(jobUid: string): (() => void) | undefined;
  isLocked(jobUid: string): boolean;
  /** Returns the uid of the previous Job of this `workloadKey`, as long as it may matter. */
  previousUidOf(id: string): string | undefined;
  start(): void;
  stop(): void;
  actors(): Iterable<Actor<typeof recreation>>;
  readonly size: number;
}

interface RecreationsOptions {
  readonly runtime: ActorRuntime;
  readonly api: RestartApi;
  readonly report: ReportRestart;
  readonly isDryRun: boolean;
  /** Undefined: the keys have not been read yet, or are not usable. */
  readonly keys: () => HashKeys | undefined;
  readonly random: Random;
  readonly inFlight: Set<Promise<unknown>>;
  /** Called when a Job is unlocked. */
  readonly onReleased: () => void;
}

type RequestForCopy = (copy: JobCopy, signal: AbortSignal) => Promise<RecreationEvent>;

const forged =
  'its name and its annotations are those of a copy of a Job that weeder stores, but it is not sealed with a hash key of this weeder: no Job is created from it.';

export function createRecreations(options: RecreationsOptions): Recreations {
  const { runtime, api, report, isDryRun, random, inFlight } = options;
  /** By the `workloadKey` of the Job: only one Job of a name exists at a time. */
  const copies = new Map<string, JobCopy>();
  /** The recreations that have begun. */
  const registry = createRegistry<{ readonly actor: Actor<typeof recreation> }>({
    dropped: (id) => copies.delete(id),
    failed: (id, error) => report({ type: 'actor.failed', actor: `recreation of ${id}`, error }),
  });
  const locked = new Set<string>();
  /** The copies that wait for a key, by uid. */
  const unverified = new Map<string, JobCopy>();
  const reported = new Set<string>();
  let isRunning = false;

  const actorOf = ({ job }: RecreationInput) => job;
  const invoking = (failure: `${string}.failed`, request: RequestForCopy) =>
    effectLogic<RecreationInput>({ failure, random, actorOf, inFlight: () => inFlight }, ({ job }, signal) => {
      const copy = copies.get(job);
      return copy && request(copy, signal);
    });

  const logic = recreation.provide({
    actors: {
      checkJob: invoking('job.failed', (copy, signal) => checkJob(copy, api, signal, () => locked.has(copy.jobUid))),
      createJob: invoking('create.failed', async (copy, signal) => {
        const answer = await api.recreateJob(copy, signal);
        if (answer.type === 'refused') return { ...answer, type: 'create.failed' };
        if (answer.type === 'notFound') return { type: 'create.cancelled' };
        return { type: answer.type === 'ok' ? 'create.done' : 'create.conflicted' };
      }),
      deleteCopy: invoking('copy.failed', async (copy, signal) => {
        const answer = await api.deleteCopy(copy, signal);
        return answer.type === 'refused' ? { ...answer, type: 'copy.failed' } : { type: 'copy.deleted' };
      }),
    },
    actions: {
      reportRecreated: ({ context }) => {
        const about = aboutOf(context.job);
        if (about !== undefined) report({ type: 'workload.recreated', ...about });
      },
      reportFailed: ({ context: { job, reason, failure, failures, retryIn } }) => {
        const about = aboutOf(job);
        if (about !== undefined)
          report({ type: 'workload.refused', ...about, reason, failure, attempt: failures, retryIn });
      },
    },
  });

  function aboutOf(job: string) {
    const copy = copies.get(job);
    return copy === undefined ? undefined : { workload: copy.job, uid: copy.jobUid };
  }

  function begin(id: string, { jobUid }: JobCopy): void {
    if (!isRunning || isDryRun || registry.get(id) !== undefined || locked.has(jobUid)) return;
    const actor = createActor(logic, { ...runtime, id: `recreation ${id}`, input: { job: id } });
    registry.add(id, { actor });
  }

  function beginAll(): void {
    for (const [id, copy] of copies) begin(id, copy);
  }

  function notify(concerns: (copy: JobCopy, id: string) => boolean): void {
    for (const [id, copy] of copies) if (concerns(copy, id)) registry.get(id)?.actor.send({ type: 'job.changed' });
  }

  function take(copy: JobCopy): void {
    const id = workloadKey(copy.job);
    const isNew = !copies.has(id);
    copies.set(id, copy);
    if (isNew) begin(id, copy);
    else registry.get(id)?.actor.send({ type: 'job.changed' });
  }

  function verify(copy: JobCopy, uid: string, keys: HashKeys): void {
    if (isTrustedCopy(copy, keys)) {
      take(copy);
    } else if (!reported.has(uid)) {
      reported.add(uid);
      report({ type: 'annotation.unreadable', workload: copy.ref, uid, annotation: copyAnnotation, reason: forged });
    }
  }

  return {
    take,
    found(copy, uid) {
      const keys = options.keys();
      if (keys === undefined) unverified.set(uid, copy);
      else verify(copy, uid, keys);
    },
    keysChanged() {
      const keys = options.keys();
      if (keys === undefined) return;
      for (const [uid, copy] of unverified) verify(copy, uid, keys);
      unverified.clear();
    },
    changed(id) {
      notify((copy, job) => job === id || workloadKey(copy.ref) === id);
    },
    lock(jobUid) {
      const isDropping = [...copies].some(
        ([id, copy]) => copy.jobUid === jobUid && registry.get(id)?.actor.getSnapshot().value === 'deletingCopy',
      );
      if (isDropping || locked.has(jobUid)) return undefined;
      locked.add(jobUid);
      return () => {
        locked.delete(jobUid);
        options.onReleased();
        beginAll();
        notify((copy) => copy.jobUid === jobUid);
      };
    },
    isLocked: (jobUid) => locked.has(jobUid),
    previousUidOf: (id) => copies.get(id)?.jobUid,
    start() {
      isRunning = true;
      beginAll();
    },
    stop() {
      isRunning = false;
      registry.stop();
      copies.clear();
      unverified.clear();
    },
    actors: () => registry.actors(),
    get size() {
      return copies.size;
    },
  };
}

async function checkJob(
  { job, jobUid, jobVersion }: JobCopy,
  api: Pick<RestartApi, 'readWorkload'>,
  signal: AbortSignal,
  isLocked: () => boolean,
): Promise<RecreationEvent> {
  const current = await api.readWorkload(job, signal);
  // The process that holds the lock may be deleting it at this moment, so what was read is not reliable.
  if (isLocked()) return { type: 'job.terminating' };
  if (current.type === 'notFound') return { type: 'job.notFound' };
  if (current.type === 'refused') return { ...current, type: 'job.failed' };
  const summary = current.type === 'ok' ? readWorkload(current.value, 'Job') : undefined;
  if (summary === undefined) return { type: 'job.failed', reason: 'the response is not a Job', failure: 'badAnswer' };
  if (summary.uid === jobUid) {
    if (summary.isEnding) return { type: 'job.terminating' };
    return { type: summary.resourceVersion === jobVersion ? 'job.unchanged' : 'job.retained' };
  }
  const state = decodeState(summary.stateText);
  return {
    type: typeof state === 'object' && state.workloadUid === jobUid ? 'job.stateMissing' : 'job.stateTransferred',
  };
}
