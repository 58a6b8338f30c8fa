import { setNewest } from '../../base/newest.ts';
import {
  addSpanEvent,
  objectAttributes,
  type Span,
  type SpanAttributes,
  type SpanEvent,
  type TraceEvents,
} from '../../controller/report/span.ts';
import { isReplaced } from '../kinds/kinds.ts';
import type { RestartEvent } from '../references/events.ts';
import { sourceKey, workloadKey } from '../references/refs.ts';

type OfWorkload = Extract<RestartEvent, { readonly workload: unknown }>;
type Restarted = Extract<RestartEvent, { readonly type: 'workload.restarted' }>;

/** Why a restart waits, from a point in time. */
interface Wait {
  readonly start: number;
  readonly cause: string;
}

/** A restart, from the change that causes it. */
interface Restart {
  readonly changedAt: number;
  readonly waits: Wait[];
  readonly events: SpanEvent[];
  /** Undefined: the workload is not patched yet. */
  begun?: Begun;
}

interface Begun {
  readonly at: number;
  /** Undefined: an earlier process began it. */
  readonly by?: Restarted;
}

/** A restart may wait for days, for other reasons again and again. */
const maxWaits = 32;

/** What ends a restart, and as what. */
const results: Readonly<Partial<Record<RestartEvent['type'], string>>> = {
  'workload.rolledOut': 'rolled_out',
  'workload.recreated': 'recreated',
  'workload.reverted': 'reverted',
  'workload.released': 'released',
  'workload.skipped': 'skipped',
};

/**
 * Makes one trace of each restart of a workload: from the change of its sources to the end of the rollout. Within it are
 * the quiet period, each reason to wait, the patch, and the rollout. A change that leads to no restart has no trace.
 * Keeps the newest `maxKept` at once, because nothing says that a workload is gone.
 */
export function traceRestart(maxKept = 4_096): TraceEvents<RestartEvent> {
  const restarts = new Map<string, Restart>();

  function at(event: OfWorkload, changedAt: number): Restart {
    const key = workloadKey(event.workload);
    const known = restarts.get(key);
    if (known !== undefined) return known;
    const restart: Restart = { changedAt, waits: [], events: [] };
    setNewest(restarts, key, restart, maxKept);
    return restart;
  }

  function end(event: OfWorkload, result: string, t: number): Span | undefined {
    const key = workloadKey(event.workload);
    const restart = restarts.get(key) ?? ofEarlierProcess(event, t);
    restarts.delete(key);
    return restart?.begun === undefined ? undefined : restartSpan(event, restart, restart.begun, result, t);
  }

  function note(event: OfWorkload, t: number): void {
    const restart = restarts.get(workloadKey(event.workload));
    if (restart === undefined) return;
    const isReason = event.type === 'workload.pending' || event.type === 'workload.blocked';
    if (isReason && restart.begun === undefined && restart.waits.length < maxWaits)
      restart.waits.push({ start: t, cause: event.cause });
    else if (isReason || event.type === 'workload.refused' || event.type === 'workload.stalled')
      addSpanEvent(restart.events, { name: event.type, t, attributes: reasonsIn(event) });
  }

  /** Only a rollout that has stalled ends with the next change. */
  function change(event: Extract<RestartEvent, { readonly type: 'workload.changed' }>, t: number): Span | undefined {
    const isUnderWay = restarts.get(workloadKey(event.workload))?.begun !== undefined;
    const superseded = isUnderWay ? end(event, 'superseded', t) : undefined;
    at(event, Math.min(event.since, t));
    return superseded;
  }

  return (event, t) => {
    if (!('workload' in event)) return undefined;
    const result = results[event.type];
    if (result !== undefined) return end(event, result, t);
    if (event.type === 'workload.changed') return change(event, t);
    if (event.type === 'workload.restarted') at(event, t).begun = { at: t, by: event };
    else note(event, t);
    return undefined;
  };
}

/** A rollout that is over, and whose beginning this process has not seen. A Job is replaced, and has no rollout. */
function ofEarlierProcess(event: OfWorkload, t: number): Restart | undefined {
  if (event.type !== 'workload.rolledOut' || isReplaced(event.workload.kind)) return undefined;
  return { changedAt: t - event.sinceChange, waits: [], events: [], begun: { at: t - event.took } };
}

function restartSpan(event: OfWorkload, restart: Restart, begun: Begun, ended: string, t: number): Span {
  const result = begun.by?.how === 'dryRun' ? 'dry_run' : ended;
  const { workload, uid } = event;
  const { changedAt, waits, events } = restart;
  const about = objectAttributes({ ...workload, uid });
  const child = (name: string, start: number, end: number, more: SpanAttributes = {}): Span => ({
    ...{ name, start, end: Math.max(start, end), attributes: { ...about, ...more }, events: [], children: [] },
  });
  // `took` counts from when the patch was written.
  const patchedAt = event.type === 'workload.rolledOut' ? Math.min(begun.at, t - event.took) : begun.at;
  const ends = [...waits.slice(1).map(({ start }) => start), patchedAt];
  const { how, attempt, sources = [] } = begun.by ?? {};
  const problem = failing.includes(result) ? result : undefined;
  const refusals = events.filter(({ name }) => name === 'workload.refused').length;
  return {
    name: 'restart',
    start: Math.min(changedAt, patchedAt),
    end: t,
    attributes: {
      ...about,
      'weeder.result': result,
      'weeder.how': how,
      'weeder.attempt': attempt,
      'weeder.sources': sources.length === 0 ? undefined : sources.map(({ source }) => sourceKey(source)),
      'weeder.requests.refused': refusals,
    },
    events,
    problem,
    children: [
      ...(begun.by === undefined ? [] : [child('quiet period', changedAt, waits[0]?.start ?? patchedAt)]),
      ...waits.map(({ start, cause }, index) => child('wait', start, ends[index] ?? start, { 'weeder.cause': cause })),
      ...(result === 'rolled_out' && begun.by !== undefined ? [child('patch', patchedAt, begun.at)] : []),
      ...(result === 'dry_run' ? [] : [{ ...child('rollout', begun.at, t), problem }]),
    ],
  };
}

const failing: readonly string[] = ['reverted', 'superseded', 'released'];

function reasonsIn(event: Extract<RestartEvent, { readonly reason: string }>): SpanAttributes {
  return {
    'weeder.cause': 'cause' in event ? event.cause : undefined,
    'weeder.reason': event.reason,
    'error.type': 'failure' in event ? event.failure : undefined,
  };
}
