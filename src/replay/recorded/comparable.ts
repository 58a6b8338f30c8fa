import type { RecordedLine } from '../../recording/lines.ts';
import { windowKey } from '../../recording/weeder/weederLines.ts';
import { tolerance } from './compare.ts';
import type { PlacedEvent, TimelineEvent } from './timelineEvent.ts';

/**
 * What a replay that begins in the middle cannot know of. Its border is the number of inputs that came before, not
 * a time: a replay is a little early or late, and an event at the border has to be on the same side for both.
 */
interface Exclusions {
  /** For each service with a window that was open when the file began: how many inputs came before that closed. */
  readonly until: ReadonlyMap<string, number>;
  /** The questions since when a service is ready, whichever service that was. */
  readonly questions: readonly { readonly askedAfter: number; readonly answered: number }[];
}

/**
 * Leaves out what a replay that begins in the middle cannot know of: of a service whose window was open then, what is
 * event until that window closed, and whatever belongs to a window that opened by then, or by the answer to a question
 * of that time: whether it counts depends on that window.
 */
export function comparableEvents(events: readonly PlacedEvent[], { until, questions }: Exclusions): TimelineEvent[] {
  const excluded = new Set<string>();
  const isComparable = ({ event: { t, out, about, window }, after }: PlacedEvent): boolean => {
    const key = windowKey(about, window);
    const quietUntil = until.get(about) ?? Number.NEGATIVE_INFINITY;
    const isQuiet = after <= quietUntil;
    const isOfThen = questions.some(
      ({ askedAfter, answered }) => askedAfter <= quietUntil && answered <= t && t - answered < tolerance,
    );
    if (out === 'window.opened' && (isQuiet || isOfThen)) excluded.add(key);
    else if (out === 'window.opened') excluded.delete(key);
    return !isQuiet && !excluded.has(key);
  };
  return events.filter(isComparable).map(({ event }) => event);
}

export function exclusionsOf(lines: readonly RecordedLine[]): Exclusions {
  const before = inputsBefore(lines);
  return { until: quietTimes(lines, before), questions: questionsOf(lines, before) };
}

/** A random value is recorded in the middle of what follows from another input. */
export function isCounted(line: RecordedLine): boolean {
  return 'in' in line && line.in !== 'random';
}

/** For each line how many inputs came before it, itself included. */
export function inputsBefore(lines: readonly RecordedLine[]): number[] {
  let count = 0;
  return lines.map((line) => {
    if (isCounted(line)) count += 1;
    return count;
  });
}

function quietTimes(lines: readonly RecordedLine[], before: readonly number[]): ReadonlyMap<string, number> {
  const open = new Set(lines.flatMap((line) => ('in' in line && line.in === 'snapshotEnd' ? line.windows : [])));
  const quietUntil = new Map<string, number>();
  for (const key of open) quietUntil.set(key.replace(/#\d+$/, ''), Number.POSITIVE_INFINITY);
  for (const [index, line] of lines.entries()) {
    if (!('about' in line) || line.out !== 'window.closed' || !open.delete(windowKey(line.about, line.window)))
      continue;
    quietUntil.set(line.about, before[index] ?? 0);
  }
  return quietUntil;
}

function questionsOf(lines: readonly RecordedLine[], before: readonly number[]): Exclusions['questions'] {
  const open = new Map<string, number[]>();
  const questions: { askedAfter: number; answered: number }[] = [];
  for (const [index, line] of lines.entries()) {
    if (!('evidence' in line)) continue;
    const asked = open.get(line.evidence) ?? [];
    open.set(line.evidence, asked);
    if ('out' in line) asked.push(before[index] ?? 0);
    // Asked before the file began, where it has no question for the answer.
    else questions.push({ askedAfter: asked.shift() ?? 0, answered: line.t });
  }
  return questions;
}
