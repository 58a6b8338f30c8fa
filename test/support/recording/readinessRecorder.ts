import { createReadiness, type ServiceReadiness } from '../../../src/weeder/services/readiness.ts';
import { type SliceOptions, slice } from '../objects/objects.ts';
import { virtualClock } from '../world/virtualClock.ts';

export const startTime = Date.UTC(2026, 0, 1);

/** A readiness that writes down what it tells. */
export function recorded(isWanted: (namespace: string, service: string) => boolean = () => true) {
  const told: string[] = [];
  const clock = virtualClock(startTime);
  const words = ({ namespace, service, isReady, exists }: ServiceReadiness) =>
    `${namespace}/${service} ${isReady ? 'ready' : 'notReady'}${exists ? '' : ' gone'}`;
  const readiness = createReadiness(clock, isWanted, {
    changed: (service) => told.push(words(service)),
    foundReady: (service) => told.push(`${words(service)} found`),
    readyAfterGap: (service, seenUntil) => told.push(`${words(service)} after gap since ${seenUntil - startTime}`),
  });
  const put = (options: SliceOptions, type: 'ADDED' | 'MODIFIED' | 'DELETED' = 'MODIFIED') =>
    readiness.apply(type, slice(options));
  return {
    readiness,
    clock,
    put,
    /** What was told since it was last asked. */
    told: () => told.splice(0),
    list(content: () => void) {
      readiness.begin();
      content();
      readiness.end();
    },
  };
}
