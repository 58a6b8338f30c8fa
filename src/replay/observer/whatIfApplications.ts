import type { VirtualClock } from '../../base/virtualClock.ts';
import type { Config } from '../../config/config.ts';
import { wordsOf } from '../../recording/events.ts';
import type { RecordedLine } from '../../recording/lines.ts';
import type { RecordedObserverEvent } from '../../recording/observer/recordedObserverEvent.ts';
import type { RecordingFile } from '../recorded/recordingFile.ts';
import { table, wallTime } from '../recorded/timeline.ts';
import type { TimelineEvent } from '../recorded/timelineEvent.ts';
import { comparableObserverEvents } from './observerInputs.ts';
import { createObserverPlayer } from './observerPlayer.ts';

/** The events that the application observer would have had with another config. */
interface WhatIfApplications {
  take(line: RecordedLine): Promise<void>;
  /** Events after the last line are not reported. */
  end(): void;
  readonly events: readonly TimelineEvent[];
}

/**
 * A config says of applications only whether they are managed: with its section `observer` what was recorded of
 * them is decided again, and without it there is nothing. How often manifests are tried out stays as it was recorded: of
 * other times the responses of the API server are unknown.
 */
export function createWhatIfApplications(
  { header, lines }: RecordingFile,
  config: Config,
  clock: VirtualClock,
): WhatIfApplications {
  const events: TimelineEvent[] = [];
  let hasEnded = config.observer === undefined;
  const report = (event: RecordedObserverEvent) => {
    if (!hasEnded && !isWrite(event)) events.push({ t: clock.monotonic(), ...event });
  };
  const player = hasEnded ? undefined : createObserverPlayer({ header, lines, clock, report });
  return {
    async take(line) {
      if ('observer' in line && 'in' in line.observer) await player?.take(line.observer);
    },
    end() {
      hasEnded = true;
      player?.core()?.stop();
    },
    events,
  };
}

/** The other events already cover these. */
function isWrite({ out }: RecordedObserverEvent): boolean {
  return out === 'resource.write' || out === 'status.write';
}

const deeds: readonly TimelineEvent['out'][] = [
  'resource.applied',
  'resource.corrected',
  'resource.deleted',
  'resource.released',
];

/** What was done then to the resources of applications and would not have been without the section `observer`. */
export function withoutObserver({ header, lines }: RecordingFile, config: Config): string[] {
  if (config.observer !== undefined || !isObserverIn(lines)) return [];
  const startedAt = Date.parse(header.startedAt);
  const done = comparableObserverEvents(lines).filter(({ out }) => deeds.includes(out));
  const without = 'without the section observer no application would have been managed';
  if (done.length === 0) return [`${without}, and nothing was done to their resources then`];
  const rows = done.map(({ t, out, about, detail }) => [about, wallTime(startedAt + t), wordsOf(out), detail]);
  return [...table([['of application', 'then', 'was', ''], ...rows]), `${without}: none of this would have been done`];
}

/** What a config asks of the applications in a recording, and it cannot say: one sentence each. */
export function applicationLimitations(
  { header, lines }: RecordingFile,
  config: Config,
  recorded: readonly Config[],
): string[] {
  const was = isObserverIn(lines);
  if (config.observer === undefined) return was ? ['what would have become of applications without an observer'] : [];
  if (!was) return ['the application observer was not recorded: nothing is known of applications'];
  const busy = lines.flatMap((line) =>
    'observer' in line && 'in' in line.observer && line.observer.in === 'snapshotEnd' ? line.observer.busy : [],
  );
  return [
    ...(recorded.every(({ observer }) => observer !== undefined)
      ? []
      : ['applications were not managed all the time, as the config changed: then nothing is known of them']),
    ...(header.isDryRun ? ['applications were managed in a dry run: what corrections would have come to'] : []),
    ...(busy.length === 0 ? [] : [`what was under way when the file begins, until it was over: ${busy.join(', ')}`]),
  ];
}

function isObserverIn(lines: readonly RecordedLine[]): boolean {
  return lines.some((line) => 'observer' in line);
}
