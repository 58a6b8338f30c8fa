import { type Clock, formatDuration, sleep, systemClock } from '@weeder/kube-runtime/base';
import type { StreamStatus } from '@weeder/kube-runtime/watch';
import { unavailableStreams } from '@weeder/kube-runtime/watch';
import { type Page, sendText } from '../base/http.ts';
import type { Leadership } from '../process/leadership.ts';
import type { ManagerState } from '../process/manager.ts';
import type { ConfigStatus } from '../process/reload.ts';
import { describeServices } from '../weeder/services/serviceStatus.ts';
import type { ShownWeeder } from '../weeder/weederController.ts';

/** One check of a health endpoint. */
interface HealthCheck {
  /** Named as in kube-apiserver: `ping`, `stream/pods app=web`. */
  readonly name: string;
  readonly isOk: boolean;
  /** A short status, or the reason why the check fails. May be empty. */
  readonly detail: string;
}

/** How often readiness is checked at start-up. Milliseconds. */
const pollInterval = 50;

/**
 * The response to a probe: 200 or 503, and a line for each check if one fails or `?verbose` is set. `patience`: until
 * all checks have passed once, a failure is reported only after this many milliseconds. A start-up is not a failure,
 * and a request during it is answered as soon as it is over.
 */
export function healthPage(
  name: 'healthz' | 'readyz',
  checks: () => readonly HealthCheck[],
  { patience = 0, clock = systemClock }: { readonly patience?: number; readonly clock?: Clock } = {},
): Page {
  let wasOk = false;

  async function found(): Promise<readonly HealthCheck[]> {
    const deadline = clock.monotonic() + (wasOk ? 0 : patience);
    let current = checks();
    while (!areOk(current) && clock.monotonic() < deadline) {
      await sleep(clock, pollInterval);
      current = checks();
    }
    wasOk ||= areOk(current);
    return current;
  }

  return async (url, request, response) => {
    const results = await found();
    const isOk = areOk(results);
    const isVerbose = url.searchParams.has('verbose');
    const lines = [...results.map(lineOf), `${name} check ${isOk ? 'passed' : 'failed'}`];
    sendText(request, response, isOk ? 200 : 503, isOk && !isVerbose ? 'ok\n' : `${lines.join('\n')}\n`);
  };
}

function areOk(checks: readonly HealthCheck[]): boolean {
  return checks.every(({ isOk }) => isOk);
}

function lineOf({ name, isOk, detail }: HealthCheck): string {
  const rest = detail === '' ? '' : `: ${detail}`;
  return isOk ? `[+]${name} ok${rest}` : `[-]${name} failed${rest}`;
}

/** The part of the manager that the health checks use. */
interface HealthSource {
  state(): ManagerState;
  streams(): readonly StreamStatus[];
  /** Undefined without leader election. */
  leadership(): Leadership | undefined;
  readonly controllers: { readonly weeder?: { shown(): Pick<ShownWeeder, 'services'> | undefined } };
}

/** A stream that is down for longer makes weeder unready: it has been retried more than once by then. Milliseconds. */
const longestDown = 60_000;

/**
 * Fails only if a restart of the process is the only remedy. `source` is undefined until the API server has been
 * reached.
 */
export function livenessChecks(source: HealthSource | undefined): HealthCheck[] {
  const isBroken = source?.state() === 'broken';
  return [ping, { name: 'manager', isOk: !isBroken, detail: isBroken ? 'failed: see the log' : '' }];
}

/** Whether the controllers are running, or this replica is a working standby. */
export function readinessChecks(source: HealthSource | undefined): HealthCheck[] {
  if (source === undefined) return [ping, { name: 'manager', isOk: false, detail: 'connecting to the API server' }];
  const leadership = source.leadership();
  const lease = leadership === undefined ? [] : [leaseCheck(leadership)];
  return [ping, managerCheck(source.state()), ...lease, ...serviceCheck(source), ...streamChecks(source.streams())];
}

/** Explains why a weeder in a dry run changes nothing. */
export const dryRunCheck: HealthCheck = { name: 'dry-run', isOk: true, detail: 'nothing in the cluster is changed' };

/** Information only: a service may be deployed later. */
function serviceCheck({ controllers }: HealthSource): HealthCheck[] {
  const words = describeServices(controllers.weeder?.shown()?.services() ?? []);
  return words === '' ? [] : [{ name: 'services', isOk: true, detail: words }];
}

/** A rejected config is shown, and does not make weeder unready: the previous config stays in force. */
export function configCheck({ generation, appliedAt, lastReload, rejected }: ConfigStatus): HealthCheck {
  const since = `in force since ${new Date(appliedAt).toISOString()}`;
  const lines = rejected?.message.split('\n').map((line) => line.trim()) ?? [];
  const why = lines.filter((line) => line !== '').join(' ');
  const rejection = `content ${generation} of the file is rejected, the previous one is ${since}: ${why}`;
  return {
    name: 'config',
    isOk: true,
    detail: lastReload === 'applied' ? `content ${generation} of the file, ${since}` : rejection,
  };
}

const ping: HealthCheck = { name: 'ping', isOk: true, detail: '' };

const states: Readonly<Record<ManagerState, Pick<HealthCheck, 'isOk' | 'detail'>>> = {
  electing: { isOk: true, detail: 'standing by' },
  syncing: { isOk: false, detail: 'reading the complete state of the cluster' },
  running: { isOk: true, detail: 'at work' },
  draining: { isOk: false, detail: 'stopping: waiting for requests in flight' },
  releasing: { isOk: false, detail: 'stopping: releasing the lease' },
  stopped: { isOk: false, detail: 'stopped' },
  broken: { isOk: false, detail: 'failed: see the log' },
};

function managerCheck(state: ManagerState): HealthCheck {
  return { name: 'manager', ...states[state] };
}

/** A standby that is never ready would block every rollout; one that cannot read the Lease would never take over. */
function leaseCheck({ state, lease, identity, holder }: Leadership): HealthCheck {
  const name = `lease/${lease}`;
  if (state === 'electing')
    return { name, isOk: false, detail: 'the Lease has not been read, so the leader is unknown' };
  if (state === 'leading') return { name, isOk: true, detail: `this replica leads, as ${identity}` };
  return { name, isOk: true, detail: holder === undefined ? 'no leader' : `${holder} leads` };
}

/**
 * A stream that cannot be read is shown, and does not make weeder unready while other streams of its peers are served.
 */
function streamChecks(streams: readonly StreamStatus[]): HealthCheck[] {
  const unavailable = unavailableStreams(streams);
  return streams.map((stream) => {
    const check = streamCheck(stream);
    if (!unavailable.has(stream.name)) return check;
    if (stream.isMissing) return { ...check, isOk: true };
    const how = stream.isRefused ? 'refused' : 'not read yet';
    return { ...check, isOk: true, detail: `${how}, the others are served: ${check.detail}` };
  });
}

function streamCheck({
  name,
  state,
  isSynced,
  since,
  downFor,
  problem,
  objects,
  isOptional,
}: StreamStatus): HealthCheck {
  const isDown = downFor !== undefined && downFor > longestDown;
  const down =
    downFor === undefined ? [] : [`down for ${inSeconds(downFor)}`, ...(problem === undefined ? [] : [problem])];
  const listed = objects === undefined ? [] : [`${objects} objects listed`];
  const detail = [`${state} since ${new Date(since).toISOString()}`, ...(isSynced ? listed : ['not synced']), ...down];
  return { name: `stream/${name}`, isOk: isOptional === true || (isSynced && !isDown), detail: detail.join(', ') };
}

function inSeconds(milliseconds: number): string {
  return formatDuration(Math.floor(milliseconds / 1000) * 1000);
}
