import { type RecordedLine, windowKey } from '../recording/lines.ts';
import type { Timed } from './replayRecording.ts';

/**
 * Leaves out what a replay that begins in the middle cannot know of: of a service whose window was open then, what is
 * told until that window closed, and whatever belongs to a window that opened by then.
 */
export function comparable(facts: readonly Timed[], quietUntil: ReadonlyMap<string, number>): Timed[] {
  const passedOver = new Set<string>();
  return facts.filter(({ t, out, about, window }) => {
    const key = windowKey(about, window);
    const isQuiet = t <= (quietUntil.get(about) ?? Number.NEGATIVE_INFINITY);
    if (out === 'window.opened' && isQuiet) passedOver.add(key);
    else if (out === 'window.opened') passedOver.delete(key);
    return !isQuiet && !passedOver.has(key);
  });
}

/** For each service with a window that was open when the file began: when that window closed; milliseconds. */
export function quietTimes(lines: readonly RecordedLine[]): ReadonlyMap<string, number> {
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
