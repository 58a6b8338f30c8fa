import { type ControllerName, contributions, makeEach } from '../../controllers/controllers.ts';
import type { RecordedLine } from '../../recording/file/lines.ts';
import { applyBusy } from '../played/played.ts';
import { countedOnce } from './countedOnce.ts';
import type { TimelineEvent } from './timelineEvent.ts';

/** Returns the events and requests that a replay has to reproduce. */
export function comparableEvents(lines: readonly RecordedLine<ControllerName>[]): readonly TimelineEvent[] {
  const busy = makeEach<'busy'>(() => new Set());
  const events = lines.flatMap((line) => {
    if ('in' in line) applyBusy(line, busy[line.of]);
    return 'about' in line && !contributions[line.of].recorded.isExcluded(line, busy[line.of]) ? line : [];
  });
  return countedOnce(events);
}
