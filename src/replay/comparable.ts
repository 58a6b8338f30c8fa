import { type RecordedLine, windowKey } from '../recording/lines.ts';
import { tolerance } from './compare.ts';
import type { Timed } from './replayRecording.ts';

/** What a replay that begins in the middle cannot know of. Times are milliseconds since the start of the recording. */
export interface Quiet {
  /** For each service with a window that was open when the file began: when that window closed. */
  readonly until: ReadonlyMap<string, number>;
  /** The questions since when a service is ready, whichever service that was. */
  readonly questions: readonly { readonly asked: number; readonly answered: number }[];
}

/**
 * Leaves out what a replay that begins in the middle cannot know of: of a service whose window was open then, what is
 * told until that window closed, and whatever belongs to a window that opened by then, or by the answer to a question
 * of that time: whether it counts depends on that window.
 */
export function comparable(facts: readonly Timed[], { until, questions }: Quiet): Timed[] {
  const passedOver = new Set<string>();
  const doubtful = new Set<string>();
  return facts.flatMap((fact) => {
    const { t, out, about, window } = fact;
    const key = windowKey(about, window);
    const quietUntil = until.get(about) ?? Number.NEGATIVE_INFINITY;
    const isQuiet = t <= quietUntil;
    // A replay is a little early or late: what it tells on one side of the border may have been told on the other.
    const isAtBorder = Math.abs(t - quietUntil) <= tolerance;
    const isOfThen = questions.some(
      ({ asked, answered }) => asked <= quietUntil && answered <= t && t - answered < tolerance,
    );
    if (out === 'window.opened') {
      change(passedOver, key, isQuiet || isOfThen);
      change(doubtful, key, isAtBorder);
    }
    if (isQuiet || passedOver.has(key)) return [];
    return isAtBorder || doubtful.has(key) ? [{ ...fact, isDoubtful: true }] : [fact];
  });
}

function change(keys: Set<string>, key: string, isIn: boolean): void {
  if (isIn) keys.add(key);
  else keys.delete(key);
}

export function quietOf(lines: readonly RecordedLine[]): Quiet {
  return { until: quietTimes(lines), questions: questionsOf(lines) };
}

function quietTimes(lines: readonly RecordedLine[]): ReadonlyMap<string, number> {
  const open = new Set(lines.flatMap((line) => ('in' in line && line.in === 'resume' ? line.windows : [])));
  const quietUntil = new Map<string, number>();
  for (const key of open) quietUntil.set(key.replace(/#\d+$/, ''), Number.POSITIVE_INFINITY);
  for (const line of lines) {
    if (!('about' in line) || line.out !== 'window.closed' || !open.delete(windowKey(line.about, line.window)))
      continue;
    quietUntil.set(line.about, line.t);
  }
  return quietUntil;
}

function questionsOf(lines: readonly RecordedLine[]): Quiet['questions'] {
  const open = new Map<string, number[]>();
  const questions: { asked: number; answered: number }[] = [];
  for (const line of lines) {
    if (!('evidence' in line)) continue;
    const asked = open.get(line.evidence) ?? [];
    open.set(line.evidence, asked);
    if ('out' in line) asked.push(line.t);
    // Asked before the file began, where it has no question for the answer.
    else questions.push({ asked: asked.shift() ?? 0, answered: line.t });
  }
  return questions;
}
