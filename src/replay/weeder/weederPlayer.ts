import type { Config } from '../../config/config.ts';
import type { Input } from '../../recording/file/entry.ts';
import type { RecordingHeader } from '../../recording/lines.ts';
import { isReadySince, weederPort } from '../../recording/weeder/weederPort.ts';
import type { ReportWeeder } from '../../weeder/deletions/weederEvents.ts';
import { createStreams } from '../../weeder/streams.ts';
import { createWeeder, type Weeder } from '../../weeder/weeder.ts';
import { createPlayed, noRequests, type Stage } from '../recorded/played.ts';
import { assumeReady } from './assumeReady.ts';

/** Runs the real weeder in simulated time, with the recorded inputs. It exists from the beginning. */
interface WeederPlayer {
  take(input: Input): Promise<void>;
  weeder(): Weeder;
}

export function createWeederPlayer(stage: Stage, config: Config, report: ReportWeeder): WeederPlayer {
  const { header } = stage;
  let resumed: RecordingHeader['streams'] = header.streams;
  const played = createPlayed(stage, {
    of: 'weeder',
    unanswered: (request) => (isReadySince(request) ? null : { type: 'delete.accepted' }),
    report: () => {},
    create(its, { requests, ...inputs }) {
      const { namespaces, concurrentDeletions, isDryRun } = header;
      const weeder = createWeeder({
        ...inputs,
        ...weederPort(noRequests, requests),
        config: its,
        concurrentDeletions,
        isDryRun,
        report,
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
    async take(input) {
      await played.take(input);
      // The state at the beginning of the file is complete: from now on the config of the services themselves applies.
      if (input.in === 'snapshotEnd') played.core()?.weeder.configure(config);
    },
    weeder() {
      const core = played.core();
      if (core === undefined) throw new Error('the weeder exists from the beginning');
      return core.weeder;
    },
  };
}
