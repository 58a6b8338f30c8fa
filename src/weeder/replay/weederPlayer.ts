import type { RecordingHeader } from '../../recording/file/lines.ts';
import {
  type ControllerPlayer,
  createPlayed,
  noRequests,
  type Played,
  type Stage,
} from '../../replay/played/played.ts';
import type { ReportWeeder } from '../deletions/weederEvents.ts';
import { isExcludedService, recordedWeederEventOf } from '../recording/recordedWeederEvent.ts';
import { isDeletion, weederPort } from '../recording/weederPort.ts';
import { createWeederSnapshot } from '../recording/weederSnapshot.ts';
import type { Weeder } from '../weeder.ts';
import { createWeederCore, type WeederCore } from '../weederCore.ts';
import { assumeReady } from './assumeReady.ts';

/** Runs the real weeder in simulated time, with the recorded inputs. It exists from the beginning. */
export function createWeederPlayer(stage: Stage, report: ReportWeeder): ControllerPlayer<Weeder> {
  const { header, config } = stage;
  let resumed: RecordingHeader['streams'] = header.streams;
  const played: Played<WeederCore> = createPlayed(stage, {
    of: 'weeder',
    snapshot: createWeederSnapshot(),
    busy: new Set(),
    isExcluded: isExcludedService,
    unanswered: (request) => (isDeletion(request) ? { type: 'delete.accepted' } : null),
    // From now on the config of the services themselves applies.
    resume: () => played.core()?.weeder.configure(config),
    create(options, { requests, ...inputs }) {
      const { namespaces, concurrentDeletions, isDryRun } = header;
      const core = createWeederCore({
        ...inputs,
        ...weederPort(noRequests, requests),
        config: options,
        namespaces,
        resumed,
        concurrentDeletions,
        isDryRun,
        report(event) {
          played.record(recordedWeederEventOf(event));
          report(event);
        },
        onStreamsChanged: () => {},
        onStreamClosed: () => {},
      });
      resumed = undefined;
      return core;
    },
  });
  played.create(header.part > 1 ? assumeReady(config) : config);
  return { take: played.take, shown: () => played.core()?.weeder };
}
