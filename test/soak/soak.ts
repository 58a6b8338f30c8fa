import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cleanup } from '../cluster/support/namespace.ts';
import { startControlPlane } from '../cluster/support/plane/controlPlane.ts';
import { unprivilegedUsers } from '../cluster/support/plane/credentials.ts';
import { faultyApiServer } from '../faults/support/apiServer.ts';
import { type Attempt, auditPolicy, auditReader } from './audit.ts';
import { deeds, type Fault, faults } from './decisions.ts';
import { watchEtcd } from './etcdWatch.ts';
import { playFaults, sleep } from './faulting.ts';
import { createHistory } from './history.ts';
import { createJudge, type Violation } from './invariants.ts';
import type { ConfigChange } from './oracle.ts';
import { startPatient } from './patient.ts';
import { lookAtRest, type Rest } from './rest.ts';
import { longestWindow, type Rule, variants } from './rules.ts';
import { type Span, seconds } from './times.ts';
import { createWorld } from './world.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** What happened, and what of it should not have. */
export interface SoakResult {
  readonly minutes: number;
  readonly violations: readonly Violation[];
  readonly deeds: number;
  readonly missed: number;
  readonly attempts: number;
  readonly deletions: number;
  readonly delays: readonly number[];
  readonly windows: number;
  readonly reloads: number;
  readonly faults: readonly Fault[];
  readonly rests: readonly Rest[];
}

const parts = 3;
/** Between two deeds. Milliseconds. */
const pace = 25;
const atOnce = 6;

/** Leaves nothing behind, however it ends. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const cleanups: (() => unknown)[] = [];
  try {
    return await play(options, { after: (cleanup) => void cleanups.unshift(cleanup) });
  } finally {
    for (const cleanup of cleanups) await cleanup();
  }
}

async function play({ minutes, seed, say, signal }: SoakOptions, t: Cleanup): Promise<SoakResult> {
  const [user = ''] = unprivilegedUsers;
  const folder = mkdtempSync(join(tmpdir(), 'weeder-soak-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [policy, log] = [join(folder, 'policy.json'), join(folder, 'audit.log')];
  writeFileSync(policy, auditPolicy([user]));
  const apiServerFlags = [
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${log}`,
    '--storage-media-type=application/json',
  ];
  const controlPlane = await startControlPlane({ apiServerFlags });
  t.after(controlPlane.stop);
  const server = await faultyApiServer(t, controlPlane, 'h2');
  const end = new AbortController();
  t.after(() => end.abort());
  const all = AbortSignal.any([signal, end.signal]);
  const violations: Violation[] = [];
  const violated = (invariant: string, what: string) =>
    void violations.push({ invariant, at: Date.now(), what, evidence: [] });

  const history = createHistory();
  const broken = (why: unknown) => violated(invariants.observer, String(why));
  await watchEtcd(controlPlane.etcdUrl, 'pods', history.takePod, broken, end.signal);
  await watchEtcd(controlPlane.etcdUrl, 'endpointslices', history.takeSlice, broken, end.signal);
  const [first = []] = variants;
  const patient = await startPatient(controlPlane, user, server, first);
  t.after(patient.stop);
  const configs: ConfigChange[] = [{ at: Date.now(), rules: first }];
  const disturbances: (Span & { to: number | undefined })[] = [];
  const judge = createJudge({ history, configs, disturbances });
  say(`control plane at ${controlPlane.url}, weeder is process ${patient.process.pid}`);

  const world = createWorld(controlPlane);
  const plan = deeds(seed);
  const faultPlan = faults(seed);
  const played: Fault[] = [];
  let done = 0;
  let reloads = 0;

  function configure(rules: readonly Rule[]): void {
    if (configs.at(-1)?.rules === rules) return;
    patient.configure(rules);
    configs.push({ at: Date.now(), rules });
    reloads += 1;
  }

  /** One after the other begins; some are on the way at a time. */
  async function churn(until: AbortSignal): Promise<void> {
    const underWay = new Set<Promise<void>>();
    while (!until.aborted) {
      const deed = plan.next().value;
      done += 1;
      if (deed.what === 'config') configure(variants[deed.variant] ?? first);
      else {
        const work: Promise<void> = world.do(deed).finally(() => underWay.delete(work));
        underWay.add(work);
      }
      if (underWay.size >= atOnce) await Promise.race(underWay);
      await sleep(pace, until);
    }
    await Promise.all(underWay);
  }

  /** Until etcd has nothing of the world any more: what is left in weeder then is weeder's. */
  async function empty(): Promise<void> {
    const deadline = Date.now() + seconds(60);
    while (history.present() > 0 || [...history.pods.values()].some(({ goneAt }) => goneAt === undefined)) {
      if (Date.now() > deadline) return violated(invariants.soak, 'the world cannot be emptied');
      await world.clear();
      await pause(250);
    }
  }

  const readAudit = auditReader(log);
  let waiting: Attempt[] = [];
  async function judgeUntil(before: number): Promise<void> {
    if (existsSync(log)) waiting.push(...(await readAudit()));
    for (const attempt of waiting.filter(({ at }) => at < before)) judge.attempt(attempt);
    waiting = waiting.filter(({ at }) => at >= before);
  }

  async function watchOver(until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      // What weeder acted upon has reached this process, too, by then.
      await judgeUntil(Date.now() - seconds(1));
      judge.look(Date.now() - 200);
      history.forget(Date.now() - seconds(180));
      await sleep(250, until);
    }
  }

  const noted = (fault: Fault) => {
    say(`${fault.what}${fault.ms > 0 ? ` for ${fault.ms} ms` : ''}`);
    played.push(fault);
    const span: Span & { to: number | undefined } = { from: Date.now(), to: undefined };
    disturbances.push(span);
    return () => {
      span.to = Date.now();
    };
  };

  const rests: Rest[] = [];
  let windows = 0;
  const watching = watchOver(end.signal);
  try {
    const quiet = longestWindow + seconds(6);
    const busy = Math.max(seconds(10), (minutes * seconds(60)) / parts - quiet);
    for (let part = 1; part <= parts && !all.aborted; part += 1) {
      const over = AbortSignal.any([all, AbortSignal.timeout(busy)]);
      await Promise.all([churn(over), playFaults(controlPlane, server, faultPlan, noted, over)]);
      configure(first);
      await empty();
      const rest = await lookAtRest(patient, first, quiet + seconds(30));
      rests.push(rest);
      for (const fault of rest.faults) violated(invariants.rest, `after part ${part}: ${fault}`);
      say(`part ${part}: ${done} deeds, ${judge.deletions} deletions, RSS ${rest.rss.toFixed(1)} MiB at rest`);
    }
    const gauge = await patient.gauges().catch(() => () => Number.NaN);
    windows = gauge('weeder_windows_opened_total');
    await pause(1_500);
    await judgeUntil(Number.POSITIVE_INFINITY);
    const fault = await patient.stop();
    if (fault !== undefined) violated(invariants.process, fault);
    for (const refusal of world.refusals) violated(invariants.soak, refusal);
  } finally {
    end.abort();
    await watching;
  }
  return {
    minutes,
    violations: [...violations, ...judge.violations],
    deeds: done,
    missed: world.missed,
    attempts: judge.attempts,
    deletions: judge.deletions,
    delays: judge.delays,
    windows,
    reloads,
    faults: played,
    rests,
  };
}

/** What is asserted besides what the judge asserts. */
export const invariants = {
  observer: 'the observer sees everything',
  rest: 'at rest, streams and actors are back to their number',
  process: 'the process lives, and logs no error',
  soak: 'what the soak itself asks for is right',
} as const;
