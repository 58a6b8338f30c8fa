import type { AboutResource } from '../../observer/model/facts.ts';
import type { Drift } from '../../observer/model/projection.ts';
import type { TimelineEntry } from '../timeline.ts';
import type { StoryFact } from './facts.ts';
import { milliseconds } from './outcome.ts';

/** A line of the timeline, with a diff below it. */
interface DiffedEntry extends TimelineEntry {
  readonly diff: readonly DiffLine[];
}

/** `wanted` stands for what is put back, `found` for what somebody made of it. */
export interface DiffLine {
  readonly is: 'path' | 'wanted' | 'found';
  readonly text: string;
}

/** A fact as a line of the timeline; undefined for what the others already tell. `width`: of the longest line of a diff. */
export function observerEntry(fact: StoryFact, width: number): DiffedEntry | undefined {
  if (fact.type === 'deed') {
    return { who: fact.who, what: fact.what, tone: fact.isHarmful ? 'bad' : 'plain', diff: [] };
  }
  const told = toldBy(fact);
  if (told === undefined) return undefined;
  const diff = fact.type === 'resource.drifted' ? fact.drifts.flatMap((drift) => diffOf(drift, width)) : [];
  return { who: 'weeder', ...told, diff };
}

function toldBy(fact: StoryFact): Pick<TimelineEntry, 'what' | 'tone'> | undefined {
  switch (fact.type) {
    case 'resource.applied':
      return { what: appliedWords[fact.how](named(fact)), tone: 'deed' };
    case 'resource.drifted': {
      const by = fact.rival === undefined ? '' : `, by ${byName(fact.rival)}`;
      return { what: `${named(fact)} has drifted${by}:`, tone: 'bad' };
    }
    case 'resource.corrected':
      return { what: `corrects it, ${milliseconds(fact.took)} ms after it heard of it`, tone: 'deed' };
    case 'resource.missing':
      return { what: `${named(fact)} is missing`, tone: 'bad' };
    case 'resource.contested': {
      const who = byName(fact.rival ?? 'somebody');
      return { what: `waits ${(fact.wait / 1_000).toFixed(1)} s, as ${who} goes on`, tone: 'plain' };
    }
    case 'resource.refused':
    case 'resource.failed':
      return { what: `cannot go on with ${named(fact)}: ${fact.reason}`, tone: 'bad' };
    case 'application.refused':
    case 'application.invalid':
      return { what: `cannot go on: ${fact.reason}`, tone: 'bad' };
    default:
      return undefined;
  }
}

const appliedWords = {
  created: (what: string) => `creates ${what}`,
  updated: (what: string) => `updates ${what}`,
  recreated: (what: string) => `creates ${what} anew`,
} as const;

/** Whose field manager it is; most change things by an update. */
function byName(rival: string): string {
  return rival.replace(/\/Update$/, '');
}

function named({ resource: { kind, name } }: AboutResource): string {
  return `${kind} ${name}`;
}

/** A drift as a diff: what is wanted, and what was found in its place. */
function diffOf({ path, wanted, found }: Drift, width: number): readonly DiffLine[] {
  const line = (is: DiffLine['is'], text: string): DiffLine => ({ is, text });
  return [
    line('path', path.length <= width ? path : `…${path.slice(1 - width)}`),
    ...(wanted === undefined ? [] : [line('wanted', cut(`- ${JSON.stringify(wanted)}`, width))]),
    ...(found === undefined ? [] : [line('found', cut(`+ ${JSON.stringify(found)}`, width))]),
  ];
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}
