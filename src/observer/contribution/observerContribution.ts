import type { Contribution } from '../../controller/contribution/contribution.ts';
import type { ObserverEvent } from '../objects/events.ts';
import type { ObserverControllerOptions } from '../observerController.ts';
import type { ObserverCore } from '../observerCore.ts';
import { observerResponse } from '../recording/observerResponses.ts';
import { createObserverSnapshot } from '../recording/observerSnapshot.ts';
import { isExcludedApplication, observerEventKinds, recordedApplication } from '../recording/recordedObserverEvent.ts';
import { countObserver } from './countObserver.ts';
import { measureObserver } from './measureObserver.ts';
import { observerMoment } from './observerMoment.ts';

type Options = Pick<ObserverControllerOptions, 'mayUseOwnRights'>;

export const observerContribution: Contribution<ObserverEvent, ObserverCore, Options> = {
  name: 'the application observer',
  actorCounts: { application: 0, resource: 0 },
  isConfigured: ({ observer }) => observer !== undefined,
  async load(recording) {
    const { createObserverController } = await import('../observerController.ts');
    const { recordingObserver } = await import('../recording/recordObserver.ts');
    const recorded = recording === undefined ? {} : { createCore: recordingObserver(recording) };
    return (context, options, report) => createObserverController({ ...context, ...options, ...recorded, report });
  },
  async loadPlayer() {
    const { createObserverPlayer } = await import('../replay/observerPlayer.ts');
    return createObserverPlayer;
  },
  recorded: {
    eventKinds: observerEventKinds,
    response: observerResponse,
    createSnapshot: createObserverSnapshot,
    isExcluded: isExcludedApplication,
    objectOf: recordedApplication,
  },
  countEvents(metrics) {
    const count = countObserver(metrics);
    return { next: () => count };
  },
  measure: (metrics, shown) => measureObserver(metrics, shown?.counts()),
  momentOf: observerMoment,
  overview: {
    example: ['observer: {}'],
    did: { corrections: ['resource.corrected'], 'resources refused': ['resource.refused'] },
    async part(shown, { since }) {
      const { observerOverview } = await import('./observerOverview.ts');
      return observerOverview(shown.entries(), since);
    },
  },
  objects: {
    async application(shown, id, { since }) {
      const { applicationObject } = await import('./applicationObject.ts');
      return applicationObject(shown, id, since);
    },
  },
  lists: {
    async '/applications'(shown, query, since) {
      const { applicationList } = await import('./applicationList.ts');
      return applicationList(shown?.entries() ?? [], query, since);
    },
  },
};
