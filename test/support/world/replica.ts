import type { Clock } from '@weeder/kube-runtime/base';
import type { Election } from '@weeder/kube-runtime/lease';
import { settled, type VirtualClock } from '@weeder/kube-runtime/testing';
import { pino } from 'pino';
import { type AnyActor, createActor } from 'xstate';
import { createLeadership, type LeadershipGate } from '../../../src/process/leadership.ts';
import type { ProcessEvent } from '../../../src/process/processLog.ts';
import { type LeaseApi, where } from '../api/leaseApi.ts';

interface LeaseWarning {
  readonly level: number;
  readonly lease: string;
  readonly cause: string;
  readonly leaseDuration?: string;
  readonly msg: string;
}

export interface ReplicaOptions {
  readonly times?: Partial<Pick<Election, 'leaseDuration' | 'renewDeadline' | 'retryPeriod'>>;
  /** The offset of its wall clock, in milliseconds. */
  readonly skew?: number;
  readonly random?: () => number;
}

/**
 * A process that takes part in the election, with clocks of its own, and that can be suspended like any other process.
 */
export type Replica = ReturnType<typeof startReplica>;

export function startReplica(
  api: LeaseApi,
  base: VirtualClock,
  identity: string,
  { times = {}, skew = 0, random = () => 0.5 }: ReplicaOptions = {},
) {
  const events: ProcessEvent[] = [];
  const warnings: LeaseWarning[] = [];
  const arrived: (() => void)[] = [];
  const due = new Map<unknown, () => void>();
  let wall = skew;
  let isFrozen = false;
  let isDead = false;
  const arrive = (run: () => void) => {
    if (isFrozen) arrived.push(run);
    else if (!isDead) run();
  };
  const clock: Clock = {
    setTimeout(callback, delay) {
      const handle = base.setTimeout(() => {
        if (isFrozen) due.set(handle, callback);
        else if (!isDead) callback();
      }, delay);
      return handle;
    },
    clearTimeout(handle) {
      due.delete(handle);
      base.clearTimeout(handle);
    },
    now: () => base.now() + wall,
    monotonic: () => base.monotonic() + 1e6,
  };
  const defaults = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 };
  const election: Election = { ...where, identity, ...defaults, ...times };
  const logger = pino(
    { level: 'warn', base: null, timestamp: false },
    { write: (line: string) => void warnings.push(JSON.parse(line)) },
  );
  const client = api.client(identity, arrive);
  let part: LeadershipGate;
  let actor: AnyActor;

  /** Like `weeder run`: after a loss it becomes a candidate again. */
  function begin(): void {
    part = createLeadership({ client, clock, logger, election, reportProcess: (event) => events.push(event) });
    actor = createActor(part.logic, { clock, input: { ...election, random } });
    const mine = actor;
    actor.subscribe({ complete: () => mine.getSnapshot().value === 'lost' && begin() });
    actor.start();
  }
  begin();

  return {
    identity,
    events,
    /** The warnings that it logged. */
    warnings,
    state: () => part.state(actor),
    /** Whether it would send a deletion now. */
    mayAct: () => !isDead && part.isValid(),
    /** SIGSTOP: nothing of the process runs, and its input waits. */
    freeze() {
      isFrozen = true;
    },
    /** SIGCONT: first the waiting input arrives, and then the due timers fire. */
    async thaw() {
      isFrozen = false;
      for (const run of arrived.splice(0)) arrive(run);
      await settled();
      for (const [handle, run] of [...due]) if (due.delete(handle) && !isDead) run();
    },
    /** SIGTERM. */
    shutdown: () => actor.send({ type: 'release.requested' }),
    /** SIGKILL. */
    kill() {
      isDead = true;
      actor.stop();
    },
    /** Another process sets its wall clock. */
    setClock(ms: number) {
      wall += ms;
    },
  };
}
