import { objectText } from '@weeder/kube-runtime/objects';
import type { Moment } from '@weeder/live-page';
import { reasonOf } from '../../controller/report/eventReason.ts';
import type { RestartEvent } from '../references/events.ts';
import { describeChanges, describeSource, listed } from '../references/wording.ts';
import { restartTable } from '../report/restartTable.ts';

/** Undefined: the page does not show the event. */
export function restartMoment(event: RestartEvent, t: number): Moment | undefined {
  if (!restartTable[event.type].isOnPage || !('workload' in event)) return undefined;
  const { workload } = event;
  const isChange = 'sources' in event && typeof event.sources === 'object';
  const detail = isChange ? describeChanges(event.sources, workload) : reasonOf(event);
  const about = objectText(workload);
  const moment = { t, what: event.type, about, page: { type: 'workload', id: about } as const, detail };
  if (event.type === 'pod.evicted') {
    const waitedFor = listed(event.waitedFor.map((source) => describeSource(source, workload.namespace)));
    const evicted = { ...moment, detail: `${event.pod}, for ${waitedFor}` };
    if (event.isDryRun) return { ...evicted, words: 'waiting pod would be evicted', isDryRun: true };
    return { ...evicted, words: restartTable[event.type].words };
  }
  if (event.type === 'workload.restarted' && event.how === 'dryRun')
    return { ...moment, words: 'would be restarted', isDryRun: true };
  return { ...moment, words: restartTable[event.type].words };
}
