import type { WorkloadEvent } from '../../machines/restart/workload.ts';
import type { JsonObject } from '../json.ts';
import type { Answer } from './answer.ts';

/** What the answer to a write says to the machine. `onWritten` is given the object as it is then. */
export function eventOfWrite(
  what: 'restart' | 'state',
  answer: Answer<JsonObject>,
  onWritten: (object: JsonObject) => WorkloadEvent,
): WorkloadEvent {
  switch (answer.is) {
    case 'ok':
      return onWritten(answer.value);
    case 'gone':
      return { type: 'workload.gone' };
    case 'conflicted':
      return { type: `${what}.conflicted` };
    case 'refused':
      return { ...answer, type: `${what}.refused` };
  }
}
