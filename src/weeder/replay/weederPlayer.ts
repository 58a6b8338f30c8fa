import type { Config } from '../../config/config.ts';
import type { Input } from '../../recording/file/entry.ts';
import type { RecordingHeader } from '../../recording/lines.ts';
import { createPlayed, noRequests, type Played, type Stage } from '../../replay/recorded/played.ts';
import type { ReportWeeder } from '../deletions/weederEvents.ts';
import { recordedEventOf } from '../recording/recordedWeederEvent.ts';
import { createWeederSnapshot } from '../recording/recordWeeder.ts';
import { isDeletion, weederPort } from '../recording/weederPort.ts';
import { createStreams, type Streams } from '../streams.ts';
import { createWeeder, type Weeder } from '../weeder.ts';
import { assumeReady } from './assumeReady.ts';

/** A weeder and its streams. */
interface PlayedWeeder extends Pick<Streams, 'needs'>, Pick<Weeder, 'configure' | 'start' | 'stop'> {
  readonly weeder: Weeder;
}

/** Runs the real weeder in simulated time, with the recorded inputs. It exists from the beginning. */
interface WeederPlayer {
  take(input: Input): Promise<void>;
  weeder(): Weeder;
}

export function createWeederPlayer(stage: Stage, config: Config, report: ReportWeeder = () => {}): WeederPlayer {
  const { header } = stage;
  let resumed: RecordingHeader['streams'] = header.streams;
  const played: Played<PlayedWeeder> = createPlayed(stage, {
    of: 'weeder',
    snapshot: createWeederSnapshot(),
    busy: new Set(),
    unanswered: (request) => (isDeletion(request) ? { type: 'delete.accepted' } : null),
    // From now on the config of the services themselves applies.
    resume: () => played.core()?.weeder.configure(config),
    create(its, { requests, ...inputs }) {
      const { namespaces, concurrentDeletions, isDryRun } = header;
      const weeder = createWeeder({
        ...inputs,
        ...weederPort(noRequests, requests),
        config: its,
        concurrentDeletions,
        isDryRun,
        report(event) {
          played.record(recordedEventOf(event));
          report(event);
        },
      });
      const streams = createStreams({ weeder, config: its, namespaces, resumed });
      resumed = undefined;
      return {
        weeder,
        needs: streams.needs,
        configure(next: Config) {
          weeder.configure(next);
          streams.configure(next);
        },
        start: weeder.start,
        stop: weeder.stop,
      };
    },
  });
  played.create(header.part > 1 ? assumeReady(config) : config);
  return {
    take: played.take,
    weeder() {
      const core = played.core();
      if (core === undefined) throw new Error('the weeder exists from the beginning');
      return core.weeder;
    },
  };
}
