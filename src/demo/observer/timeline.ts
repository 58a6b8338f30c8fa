import type { AboutResource } from '../../observer/objects/events.ts';
import type { Drift } from '../../observer/objects/projection.ts';
import type { TimelineEntry } from '../timeline.ts';
import type { StoryEvent } from './events.ts';
import { milliseconds } from './outcomeTable.ts';

/** A line of the timeline, with a diff below it. */
interface DiffedEntry extends TimelineEntry {
  readonly diff: readonly DiffLine[];
}

/** A line of a diff: the path of the field, its desired value, or the live value. */
export interface DiffLine {
  readonly type: 'path' | 'desired' | 'found';
  readonly text: string;
}

/** An event as a line of the timeline; undefined if other lines already show it. `width`: the maximum for a diff. */
export function observerTimelineEntry(event: StoryEvent, width: number): DiffedEntry | undefined {
  if (event.type === 'action') {
    return { who: event.who, what: event.what, tone: event.isHarmful ? 'bad' : 'plain', diff: [] };
  }
  const line = weederLine(event);
  if (line === undefined) return undefined;
  const diff = event.type === 'resource.drifted' ? event.drifts.flatMap((drift) => diffOf(drift, width)) : [];
  return { who: 'weeder', ...line, diff };
}

function weederLine(event: StoryEvent): Pick<TimelineEntry, 'what' | 'tone'> | undefined {
  switch (event.type) {
    case 'resource.applied':
      return { what: appliedWords[event.how](named(event)), tone: 'action' };
    case 'resource.drifted': {
      const by = event.conflictingManager === undefined ? '' : `, by ${managerName(event.conflictingManager)}`;
      return { what: `${named(event)} has drifted${by}:`, tone: 'bad' };
    }
    case 'resource.corrected':
      return { what: `corrects it, ${milliseconds(event.took)} ms after it detected the drift`, tone: 'action' };
    case 'resource.missing':
      return { what: `${named(event)} is missing`, tone: 'bad' };
    case 'resource.correctionBackOff': {
      const who = managerName(event.conflictingManager ?? 'another client');
      return { what: `waits ${(event.wait / 1_000).toFixed(1)} s, because ${who} repeats its change`, tone: 'plain' };
    }
    case 'resource.refused':
    case 'resource.failed':
      return { what: `fails with ${named(event)}: ${event.reason}`, tone: 'bad' };
    case 'application.refused':
    case 'application.invalid':
      return { what: `fails: ${event.reason}`, tone: 'bad' };
    default:
      return undefined;
  }
}

const appliedWords = {
  created: (what: string) => `creates ${what}`,
  updated: (what: string) => `updates ${what}`,
  recreated: (what: string) => `recreates ${what}`,
} as const;

/** The name of the client with this field manager. */
function managerName(manager: string): string {
  return manager.replace(/\/Update$/, '');
}

function named({ resource: { kind, name } }: AboutResource): string {
  return `${kind} ${name}`;
}

/** A drift as a diff: the desired value, and the live one. */
function diffOf({ path, desired, found }: Drift, width: number): readonly DiffLine[] {
  const line = (type: DiffLine['type'], text: string): DiffLine => ({ type, text });
  return [
    line('path', path.length <= width ? path : `…${path.slice(1 - width)}`),
    ...(desired === undefined ? [] : [line('desired', cut(`- ${JSON.stringify(desired)}`, width))]),
    ...(found === undefined ? [] : [line('found', cut(`+ ${JSON.stringify(found)}`, width))]),
  ];
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}
