import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cleanup } from '../cluster/support/cleanup.ts';

import { startControlPlane } from '../cluster/support/plane/controlPlane.ts';
import { unprivilegedUsers } from '../cluster/support/plane/credentials.ts';
import { faultyApiServer } from '../faults/support/apiServer.ts';
import { type Attempt, auditPolicy, auditReader } from './audit.ts';
import { type Fault, randomChanges, randomFaults } from './decisions.ts';
import { watchEtcd } from './etcdWatch.ts';
import { createHistory } from './history.ts';
import { type IdleState, measureAtRest } from './idleState.ts';
import { createJudge, type Violation } from './invariants.ts';
import type { ConfigChange } from './oracle.ts';
import { playFaults, sleep } from './playFaults.ts';
import { longestWindow, type Rule, variants } from './rules.ts';
import { type Span, seconds } from './times.ts';
import { startWeederUnderTest } from './weederUnderTest.ts';
import { createWorld } from './world.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

/** What happened, and the violated invariants. */
export interface SoakResult {
  readonly minutes: number;
  readonly violations: readonly Violation[];
  readonly changes: number;
  readonly failedRequests: number;
  readonly attempts: number;
  readonly deletions: number;
  readonly delays: readonly number[];
  readonly windows: number;
  readonly reloads: number;
  readonly faults: readonly Fault[];
  readonly idleStates: readonly IdleState[];
}

const phaseCount = 3;
/** Between two changes. Milliseconds. */
const pace = 25;
const atOnce = 6;

/** Runs the soak, and removes all processes and files in the end. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const cleanups: (() => unknown)[] = [];
  try {
    return await play(options, { after: (cleanup) => void cleanups.unshift(cleanup) });
  } finally {
    for (const cleanup of cleanups) await cleanup();
  }
}

async function play({ minutes, seed, log, signal }: SoakOptions, t: Cleanup): Promise<SoakResult> {
  const [user = ''] = unprivilegedUsers;
  const folder = mkdtempSync(join(tmpdir(), 'weeder-soak-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [policy, auditLog] = [join(folder, 'policy.json'), join(folder, 'audit.log')];
  writeFileSync(policy, auditPolicy([user]));
  const apiServerFlags = [
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${auditLog}`,
    '--storage-media-type=application/json',
  ];
  const controlPlane = await startControlPlane({ apiServerFlags });
  t.after(controlPlane.stop);
  const server = await faultyApiServer(t, controlPlane, 'h2');
  const end = new AbortController();
  t.after(() => end.abort());
  const endSignal = AbortSignal.any([signal, end.signal]);
  const violations: Violation[] = [];
  const addViolation = (invariant: string, what: string) =>
    void violations.push({ invariant, at: Date.now(), what, evidence: [] });

  const history = createHistory();
  const onFailure = (why: unknown) => addViolation(invariants.observer, String(why));
  await watchEtcd(controlPlane.etcdUrl, 'pods', history.recordPod, onFailure, end.signal);
  await watchEtcd(controlPlane.etcdUrl, 'endpointslices', history.recordSlice, onFailure, end.signal);
  const [first = []] = variants;
  const weeder = await startWeederUnderTest(controlPlane, user, server, first);
  t.after(weeder.stop);
  const configs: ConfigChange[] = [{ at: Date.now(), rules: first }];
  const disturbances: (Span & { to: number | undefined })[] = [];
  const judge = createJudge({ history, configs, disturbances });
  log(`control plane at ${controlPlane.url}, weeder is process ${weeder.process.pid}`);

  const world = createWorld(controlPlane);
  const plan = randomChanges(seed);
  const faultPlan = randomFaults(seed);
  const played: Fault[] = [];
  let done = 0;
  let reloads = 0;

  function configure(rules: readonly Rule[]): void {
    if (configs.at(-1)?.rules === rules) return;
    weeder.configure(rules);
    configs.push({ at: Date.now(), rules });
    reloads += 1;
  }

  /** Starts one change after the other, with several in flight at a time. */
  async function churn(until: AbortSignal): Promise<void> {
    const inFlight = new Set<Promise<void>>();
    while (!until.aborted) {
      const change = plan.next().value;
      done += 1;
      if (change.what === 'config') configure(variants[change.variant] ?? first);
      else {
        const work: Promise<void> = world.apply(change).finally(() => inFlight.delete(work));
        inFlight.add(work);
      }
      if (inFlight.size >= atOnce) await Promise.race(inFlight);
      await sleep(pace, until);
    }
    await Promise.all(inFlight);
  }

  /** Deletes all objects until etcd has none of them, so that only state of weeder itself can remain in it. */
  async function deleteEverything(): Promise<void> {
    const deadline = Date.now() + seconds(60);
    while (
      history.servicesWithSlices() > 0 ||
      [...history.pods.values()].some(({ deletedAt }) => deletedAt === undefined)
    ) {
      if (Date.now() > deadline) return addViolation(invariants.soak, 'the objects of the soak cannot be deleted');
      await world.clear();
      await pause(250);
    }
  }

  const readAudit = auditReader(auditLog);
  let pending: Attempt[] = [];
  async function judgeUntil(before: number): Promise<void> {
    if (existsSync(auditLog)) pending.push(...(await readAudit()));
    for (const attempt of pending.filter(({ at }) => at < before)) judge.attempt(attempt);
    pending = pending.filter(({ at }) => at >= before);
  }

  async function judgeContinuously(until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      // By then, this process has received all writes that weeder acted on.
      await judgeUntil(Date.now() - seconds(1));
      judge.checkOverdue(Date.now() - 200);
      // weeder remembers for 10 minutes which pods it has deleted, and pauses for 5 minutes at most.
      history.forget(Date.now() - seconds(960));
      await sleep(250, until);
    }
  }

  const recordFault = (fault: Fault) => {
    log(`${fault.what}${fault.ms > 0 ? ` for ${fault.ms} ms` : ''}`);
    played.push(fault);
    const span: Span & { to: number | undefined } = { from: Date.now(), to: undefined };
    disturbances.push(span);
    return () => {
      span.to = Date.now();
    };
  };

  const idleStates: IdleState[] = [];
  let windows = 0;
  const watching = judgeContinuously(end.signal);
  try {
    const quiet = longestWindow + seconds(6);
    const busy = Math.max(seconds(10), (minutes * seconds(60)) / phaseCount - quiet);
    for (let phase = 1; phase <= phaseCount && !endSignal.aborted; phase += 1) {
      const endOfPhase = AbortSignal.any([endSignal, AbortSignal.timeout(busy)]);
      await Promise.all([churn(endOfPhase), playFaults(controlPlane, server, faultPlan, recordFault, endOfPhase)]);
      configure(first);
      await deleteEverything();
      const idle = await measureAtRest(weeder, first, quiet + seconds(30));
      idleStates.push(idle);
      for (const deviation of idle.deviations) addViolation(invariants.rest, `after phase ${phase}: ${deviation}`);
      log(`phase ${phase}: ${done} changes, ${judge.deletions} deletions, RSS ${idle.rss.toFixed(1)} MiB at rest`);
    }
    const gauge = await weeder.gauges().catch(() => () => Number.NaN);
    windows = gauge('weeder_windows_opened_total');
    await pause(1_500);
    await judgeUntil(Number.POSITIVE_INFINITY);
    const error = await weeder.stop();
    if (error !== undefined) addViolation(invariants.process, error);
    for (const response of world.unexpectedResponses) addViolation(invariants.soak, response);
  } finally {
    end.abort();
    await watching;
  }
  return {
    minutes,
    violations: [...violations, ...judge.violations],
    changes: done,
    failedRequests: world.failedRequests,
    attempts: judge.attempts,
    deletions: judge.deletions,
    delays: judge.delays,
    windows,
    reloads,
    faults: played,
    idleStates,
  };
}

/** The invariants that are checked in addition to those of the judge. */
export const invariants = {
  observer: 'the observer received every write',
  rest: 'at rest, the numbers of streams and actors are as expected',
  process: 'the process continues to run and logs no error',
  soak: 'the requests of the soak itself succeed',
} as const;
