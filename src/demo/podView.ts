import { conditionOf, isPodReady } from '@weeder/embedded-cluster';
import { arrayOf, type JsonObject, numberOf, objectOf, textOf } from '../base/json.ts';

/** What the demo looks at in a pod. */
export interface PodView {
  readonly uid: string;
  readonly name: string;
  readonly labels: JsonObject;
  readonly isReady: boolean;
  readonly isEnding: boolean;
  /** How often its first container has exited so far. */
  readonly exits: number;
  /** What it waits for, in the cluster's own words; undefined where it does not say. */
  readonly trouble: string | undefined;
}

/** Reads a Pod as the API serves it. */
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
    trouble: waitingFor(container) ?? unscheduled(pod),
  };
}

/** A container that is down has exited once more than it was restarted. */
function exitsOf(container: JsonObject): number {
  const { terminated, waiting } = objectOf(container['state']);
  const restarts = numberOf(container['restartCount']) ?? 0;
  const isDown = terminated !== undefined || objectOf(waiting)['reason'] === 'CrashLoopBackOff';
  return restarts + (isDown ? 1 : 0);
}

/** Every container waits like this before it runs. */
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
