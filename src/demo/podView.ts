import { conditionOf, isPodReady } from '@weeder/embedded-cluster';
import { arrayOf, type JsonObject, numberOf, objectOf, textOf } from '../base/json.ts';

/** The parts of a pod that the demo uses. */
export interface PodView {
  readonly uid: string;
  readonly name: string;
  readonly labels: JsonObject;
  readonly isReady: boolean;
  readonly isEnding: boolean;
  /** How often its first container has exited. */
  readonly exits: number;
  /** Why it is not ready, as the cluster reports it; undefined if it reports nothing. */
  readonly notReadyBecause: string | undefined;
}

/** Reads a Pod of the API. */
export function podView(pod: JsonObject): PodView {
  const meta = objectOf(pod['metadata']);
  const status = objectOf(pod['status']);
  const container = objectOf(arrayOf(status['containerStatuses'])[0]);
  return {
    uid: textOf(meta['uid']) ?? '',
    name: textOf(meta['name']) ?? '',
    labels: objectOf(meta['labels']),
    isReady: isPodReady(pod),
    isEnding: meta['deletionTimestamp'] !== undefined,
    exits: exitsOf(container),
    notReadyBecause: waitingFor(container) ?? unscheduled(pod),
  };
}

/** A stopped container has exited once more than it was restarted. */
function exitsOf(container: JsonObject): number {
  const { terminated, waiting } = objectOf(container['state']);
  const restarts = numberOf(container['restartCount']) ?? 0;
  const isDown = terminated !== undefined || objectOf(waiting)['reason'] === 'CrashLoopBackOff';
  return restarts + (isDown ? 1 : 0);
}

/** The normal reasons for a container to wait before it runs. */
const usual: readonly unknown[] = ['ContainerCreating', 'PodInitializing'];

function waitingFor(container: JsonObject): string | undefined {
  const { reason, message } = objectOf(objectOf(container['state'])['waiting']);
  return usual.includes(reason) ? undefined : sentenceOf(reason, message);
}

function unscheduled(pod: JsonObject): string | undefined {
  const { status, reason, message } = conditionOf(pod, 'PodScheduled');
  return status === 'False' ? sentenceOf(reason, message) : undefined;
}

function sentenceOf(reason: unknown, message: unknown): string | undefined {
  const words = [textOf(reason), textOf(message)].filter((each) => each !== undefined && each !== '');
  return words.length === 0 ? undefined : words.join(': ');
}
