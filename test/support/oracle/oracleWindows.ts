import type { ServiceConfig } from '../../../src/config/config.ts';
import type { Entry, History } from '../recording/history.ts';

/** A window that must have opened. `from` and `to` are places in the history, times are milliseconds. */
export interface DueWindow {
  /** `namespace/service`. */
  readonly key: string;
  readonly service: ServiceConfig;
  readonly from: number;
  /** Where it stopped deleting: it was blocked or replaced, or weeder stopped. */
  readonly to: number;
  /** It stopped because the service was no longer ready. */
  readonly isBlocked: boolean;
  readonly opensAt: number;
  readonly duration: number;
}

interface Opening {
  readonly from: number;
  readonly duration: number;
}

/** The windows that should open, derived from the whole history. */
export function dueWindows(history: History): DueWindow[] {
  const keys = new Set(history.entries.flatMap((entry) => (entry.what === 'slice' ? entry.service : [])));
  return [...keys].flatMap((key) => {
    const service = history.services.find(({ name }) => name === key.split('/')[1]);
    if (service === undefined) return [];
    const [namespace = ''] = key.split('/');
    if (service.namespaces !== 'all' && !service.namespaces.includes(namespace)) return [];
    return windowsOfService(history.entries, key, service);
  });
}

function windowsOfService(entries: readonly Entry[], key: string, service: ServiceConfig): DueWindow[] {
  const ready = entries.map((_, index) => readyAfter(entries, index, key));
  const openings = entries.flatMap((_, index): Opening[] => {
    const duration = durationOpenedAt(entries, index, key, service, ready);
    return duration > 0 ? [{ from: index, duration }] : [];
  });
  return openings.map(({ from, duration }, which) => {
    const next = openings[which + 1]?.from ?? entries.length;
    const end = entries.findIndex(({ what }, index) => {
      if (index <= from) return false;
      return what === 'stopped' || (ready[index] === false && service.whileNotReady === 'hold');
    });
    const to = Math.min(next, end === -1 ? entries.length : end);
    const isBlocked = to < next && entries[to]?.what !== 'stopped';
    return { key, service, from, to, isBlocked: isBlocked, opensAt: entries[from]?.t ?? 0, duration };
  });
}

/** Whether weeder knows the service as ready after this entry; undefined: no weeder runs that could know. */
export function readyAfter(entries: readonly Entry[], index: number, key: string): boolean | undefined {
  const life = lastOf(entries, index, ({ what }) => what === 'listing' || what === 'stopped');
  const running = lastOf(entries, index, ({ what }) => what === 'running');
  if (entries[life]?.what !== 'listing' || running < life) return undefined;
  return deliveredSlice(entries, index, key)?.isReady ?? false;
}

/** What weeder knows of the slices of a service after this entry. */
export function deliveredSlice(entries: readonly Entry[], index: number, key: string) {
  const life = lastOf(entries, index, ({ what }) => what === 'listing' || what === 'stopped');
  // The content of a list counts when the list is complete.
  const gap = lastOf(entries, index, ({ what }) => what === 'gap' || what === 'gapEnds');
  const until = entries[gap]?.what === 'gap' && gap > life ? gap : index;
  const delivered = entries[lastOf(entries, until, (each) => each.what === 'slice' && each.service === key)];
  return delivered?.what === 'slice' && entries.indexOf(delivered) > life ? delivered : undefined;
}

/** How long a window lasts that opens here; 0: none does. */
function durationOpenedAt(
  entries: readonly Entry[],
  index: number,
  key: string,
  { watchDuration, onStart }: ServiceConfig,
  ready: readonly (boolean | undefined)[],
): number {
  const entry = entries[index];
  if (entry === undefined || ready[index] !== true) return 0;
  if (entry.what === 'running') return onStart === 'always' ? watchDuration : 0;
  if (ready[index - 1] === false) return watchDuration;
  if (entry.what !== 'dated' || entry.service !== key) return 0;
  const question = questionBefore(entries, index, key, onStart, ready);
  if (question === -1) return 0;
  const isAfterGap = entries[question]?.what === 'gapEnds';
  if (entry.since === undefined) return isAfterGap ? 0 : watchDuration;
  if (isAfterGap && entry.since <= seenUntil(entries, question)) return 0;
  return watchDuration - Math.max(0, entry.wall - entry.since);
}

/** The first place after the last answer at which a request about the ready service was due; -1: nowhere. */
function questionBefore(
  entries: readonly Entry[],
  index: number,
  key: string,
  onStart: ServiceConfig['onStart'],
  ready: readonly (boolean | undefined)[],
): number {
  const settled = lastOf(entries, index - 1, (entry, at) => {
    const isAnswer = entry.what === 'dated' && entry.service === key;
    return isAnswer || ready[at] !== true || ready[at - 1] === false;
  });
  return entries.findIndex(({ what }, at) => {
    if (at <= settled || at >= index) return false;
    return what === 'gapEnds' || (what === 'running' && onStart === 'recent');
  });
}

/** By the wall clock: when the slices were last seen before this list, or when the previous list began. */
function seenUntil(entries: readonly Entry[], gapEnds: number): number {
  const gap = lastOf(entries, gapEnds, ({ what }) => what === 'gap');
  const isSeen = ({ what }: Entry) => what === 'slice' || what === 'gapEnds' || what === 'running';
  const seen = lastOf(entries, gap - 1, isSeen);
  const entry = entries[seen];
  if (entry?.what === 'slice') return entry.wall;
  const began = lastOf(entries, seen, ({ what }) => what === (entry?.what === 'gapEnds' ? 'gap' : 'listing'));
  return entries[began]?.wall ?? 0;
}

/** The last place up to this one where something holds; -1: nowhere. */
export function lastOf(
  entries: readonly Entry[],
  upTo: number,
  holds: (entry: Entry, index: number) => boolean,
): number {
  // The properties ask for it at each place of each history: `findLastIndex` would begin at the end each time.
  for (let index = Math.min(upTo, entries.length - 1); index >= 0; index -= 1) {
    const entry = entries[index];
    if (entry !== undefined && holds(entry, index)) return index;
  }
  return -1;
}
