import type { Contribution } from '../../controller/contribution/contribution.ts';
import { isExcludedWorkload, recordedWorkload, restartEventKinds } from '../recording/recordedRestartEvent.ts';
import { restartResponse } from '../recording/restartResponses.ts';
import { createRestartSnapshot } from '../recording/restartSnapshot.ts';
import type { RestartEvent } from '../references/events.ts';
import type { RestartControl } from '../restartControl.ts';
import type { RestartControllerOptions } from '../restartController.ts';
import { countRestart } from './countRestart.ts';
import { measureRestart } from './measureRestart.ts';
import { restartMoment } from './restartMoment.ts';

type Options = Pick<RestartControllerOptions, 'ownNamespace' | 'onRead'>;

export const restartContribution: Contribution<RestartEvent, RestartControl, Options> = {
  name: 'restart control',
  actorCounts: { workload: 0 },
  isConfigured: ({ restart }) => restart !== undefined,
  async load(recording) {
    const { createRestartController } = await import('../restartController.ts');
    const { recordingRestart } = await import('../recording/recordRestart.ts');
    const recorded = recording === undefined ? {} : { createCore: recordingRestart(recording) };
    return (context, options, report) => createRestartController({ ...context, ...options, ...recorded, report });
  },
  async loadPlayer() {
    const { createRestartPlayer } = await import('../replay/restartPlayer.ts');
    return createRestartPlayer;
  },
  recorded: {
    eventKinds: restartEventKinds,
    response: restartResponse,
    createSnapshot: createRestartSnapshot,
    isExcluded: isExcludedWorkload,
    objectOf: recordedWorkload,
  },
  countEvents(metrics) {
    const count = countRestart(metrics);
    return { next: () => count };
  },
  async loadTraces() {
    const { traceRestart } = await import('./traceRestart.ts');
    return () => traceRestart();
  },
  measure: (metrics, shown) => measureRestart(metrics, shown?.counts()),
  momentOf: restartMoment,
  overview: {
    example: ['restartControl:', '  rules:', '    - kinds: [Deployment, StatefulSet, DaemonSet]'],
    did: {
      restarts: ['workload.restarted'],
      'restarts refused': ['workload.refused'],
      'waiting pods evicted': ['pod.evicted'],
    },
    async part(shown, { since }) {
      const { restartOverview } = await import('./restartOverview.ts');
      return restartOverview(shown.entries(), since);
    },
  },
  objects: {
    async workload(shown, id, { since }) {
      const { workloadObject } = await import('./workloadObject.ts');
      return workloadObject(shown, id, since);
    },
  },
  lists: {
    async '/workloads'(shown, _query, since) {
      const { workloadList } = await import('./workloadList.ts');
      return workloadList(shown?.entries() ?? [], since);
    },
  },
};
