import { putBounded } from '@weeder/kube-runtime/base';
import { keyOf } from '@weeder/kube-runtime/objects';
import type { ControllerEvent } from '../../controllers/controllers.ts';
import { type PodReport, podReportOf } from '../../weeder/report/podReport.ts';

/** The last report of each pod, computed from the events. */
export interface PodReports {
  note(event: ControllerEvent, now: number): void;
  of(namespace: string, name: string): PodReport | undefined;
  clear(): void;
}

/** The maximum number of pods, about 1 MB: those that were reported longest ago are dropped first. */
const max = 2_000;

export function createPodReports(): PodReports {
  const reports = new Map<string, PodReport>();
  return {
    note(event, now) {
      switch (event.type) {
        case 'pod.deleted':
        case 'pod.recovered':
        case 'pod.removed':
        case 'deletion.expired':
        case 'deletion.failed':
        case 'deletion.refused': {
          const key = keyOf(event.pod.namespace, event.pod.name);
          putBounded(reports, key, podReportOf(event, now), max);
        }
      }
    },
    of: (namespace, name) => reports.get(keyOf(namespace, name)),
    clear: () => reports.clear(),
  };
}
