import { virtualClock } from '@weeder/kube-runtime/testing';
import { createReadiness } from '../../../src/weeder/services/readiness.ts';
import type { ServiceReadiness } from '../../../src/weeder/services/serviceRecords.ts';
import { type SliceOptions, slice } from '../objects/objects.ts';

export const startTime = Date.UTC(2026, 0, 1);

/** A readiness that records the changes it reports. */
export function recorded(isSelected: (namespace: string, service: string) => boolean = () => true) {
  const changes: string[] = [];
  const clock = virtualClock(startTime);
  const words = ({ namespace, service, isReady, exists }: ServiceReadiness) =>
    `${namespace}/${service} ${isReady ? 'ready' : 'notReady'}${exists ? '' : ' gone'}`;
  const readiness = createReadiness(clock, isSelected, {
    changed: (service) => changes.push(words(service)),
    foundReady: (service) => changes.push(`${words(service)} found`),
    unready: () => {},
    readyAfterGap: (service, seenUntil) => changes.push(`${words(service)} after gap since ${seenUntil - startTime}`),
  });
  const put = (options: SliceOptions, type: 'ADDED' | 'MODIFIED' | 'DELETED' = 'MODIFIED') =>
    readiness.apply(type, slice(options));
  return {
    readiness,
    clock,
    put,
    /** The changes reported since the last call. */
    changes: () => changes.splice(0),
    list(content: () => void) {
      readiness.begin();
      content();
      readiness.end();
    },
  };
}
