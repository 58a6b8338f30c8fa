import type { Contribution } from '../../controller/contribution/contribution.ts';
import type { WeederEvent } from '../deletions/weederEvents.ts';
import { isExcludedService, weederEventKinds } from '../recording/recordedWeederEvent.ts';
import { weederResponse } from '../recording/weederPort.ts';
import { createWeederSnapshot } from '../recording/weederSnapshot.ts';
import type { ShownWeeder, WeederControllerOptions } from '../weederController.ts';
import { countWeeder } from './countWeeder.ts';
import { measureWeeder } from './measureWeeder.ts';
import { weederMoment } from './weederMoment.ts';

type Options = Pick<WeederControllerOptions, 'concurrentDeletions'>;

/** The weeder needs no section of its own: the services of the config, or the declared ones, may come later. */
export const weederContribution: Contribution<WeederEvent, ShownWeeder, Options> = {
  name: 'weeder',
  actorCounts: { endpoint: 0, dependants: 0, podDeletion: 0, podCreation: 0 },
  isConfigured: () => true,
  async load(recording) {
    const { createWeederController } = await import('../weederController.ts');
    const { recordingWeeder } = await import('../recording/recordWeeder.ts');
    const recorded = recording === undefined ? {} : { createCore: recordingWeeder(recording) };
    return (context, options, report) => createWeederController({ ...context, ...options, ...recorded, report });
  },
  async loadPlayer() {
    const { createWeederPlayer } = await import('../replay/weederPlayer.ts');
    return createWeederPlayer;
  },
  recorded: {
    eventKinds: weederEventKinds,
    response: weederResponse,
    createSnapshot: createWeederSnapshot,
    isExcluded: isExcludedService,
    objectOf: ({ about }) => about,
  },
  countEvents: countWeeder,
  async loadTraces() {
    const { traceWeeder } = await import('./traceWeeder.ts');
    return () => traceWeeder();
  },
  measure: measureWeeder,
  momentOf: weederMoment,
  objects: {
    async service(shown, id, seen) {
      const { serviceObject } = await import('./serviceObject.ts');
      return serviceObject(shown, id, seen);
    },
  },
  overview: {
    example: ['declaredDependencies: {}'],
    did: {
      'windows opened': ['window.opened'],
      'pods deleted': ['pod.deleted'],
      'back-off saved': 'saved',
      'deletions refused or failed': ['deletion.refused', 'deletion.failed'],
      'objects retried': ['creation.retried'],
      'retries refused or failed': ['creation.refused', 'creation.failed'],
    },
    async part(shown, seen) {
      const { weederOverview } = await import('./weederOverview.ts');
      return weederOverview(shown, seen);
    },
  },
};
