/**
 * Opens a window for a service when one of its crash-looping dependants runs again while another one still crash-loops,
 * for services whose EndpointSlices do not show it. Does not prove that the service is back: a dependant may run again
 * for a reason of its own. So windows are limited by service and hour, and a workload that opens several is believed
 * later each time. Only pods in the namespace of the service count, whose users could make the service ready, too.
 */

import { type Clock, truncate } from '@weeder/kube-runtime/base';
import { partsOf } from '@weeder/kube-runtime/objects';
import { printable } from '../../base/printable.ts';
import type { SiblingEvidence } from '../../config/schema/schema.ts';
import { includesName } from '../../config/scopes.ts';
import type { ServiceLookup, WatchedService } from '../../config/serviceLookup.ts';
import { protectionBy } from '../deletions/deletionEntry.ts';
import type { ReportWeeder } from '../deletions/weederEvents.ts';
import type { Reports } from '../pods/podSink.ts';
import type { Episode } from './episode.ts';
import { createEpisodes } from './episodes.ts';
import { createOpenings } from './openings.ts';

interface Siblings {
  /** Takes the pods that declare services. */
  readonly pods: Reports;
  /** The EndpointSlices of the service show that it has become ready, is down, or does not exist any more. */
  changed(service: { readonly namespace: string; readonly service: string }): void;
  /** The services, as `namespace/name`, about whose windows the past decides. */
  unsettled(): Iterable<string>;
  stop(): void;
}

interface SiblingsOptions {
  readonly clock: Clock;
  /** The setting; may change. */
  readonly settings: () => SiblingEvidence | undefined;
  readonly services: ServiceLookup;
  /** Opens a window, unless one is open, or the EndpointSlices say that the service is down. Returns whether it has. */
  readonly open: (namespace: string, service: string, because: string) => boolean;
  readonly report: ReportWeeder;
}

export function createSiblings({ clock, settings, services, open, report }: SiblingsOptions): Siblings {
  const openings = createOpenings(clock);
  /** The services of which it was reported, since their last window, that the limit is reached. */
  const limited = new Set<string>();
  let isStopped = false;
  const episodes = createEpisodes({
    clock,
    isOn: () => !isStopped && settings() !== undefined,
    readyFor({ pod, services: declared }) {
      const before = [...declared].map((service) => openings.of(service, pod.workload));
      return Math.min(longestDelay, (settings()?.readyFor ?? 0) * 2 ** Math.max(0, ...before));
    },
    onRecovered(episode) {
      for (const service of episode.services) recovered(service, episode);
    },
  });

  function recovered(key: string, episode: Episode): void {
    const { namespace, name } = partsOf(key);
    const { workload } = episode.pod;
    const service = services(namespace, name);
    const limit = service?.siblingEvidence?.windowsPerHour ?? 0;
    if (service === undefined || episode.pod.namespace !== namespace || !counts(service, episode)) return;
    const isWaitedFor = [...episodes.of(key)].some((other) => isFreed(service, other, episode));
    if (!isWaitedFor) return;
    const because = `${truncate(printable(workload), longestName)} runs again`;
    if (openings.of(key) >= limit) withhold(key, because, limit);
    else if (open(namespace, name, because)) {
      openings.add(key, workload);
      limited.delete(key);
    }
  }

  function withhold(key: string, because: string, limit: number): void {
    const { namespace, name: service } = partsOf(key);
    if (!limited.has(key)) report({ type: 'window.withheld', namespace, service, because, limit });
    limited.add(key);
  }

  return {
    pods: episodes,
    changed: ({ namespace, service }) => episodes.changed(`${namespace}/${service}`),
    *unsettled() {
      yield* episodes.services();
      yield* openings.services();
    },
    stop() {
      isStopped = true;
      episodes.clear();
    },
  };
}

/** The API does not limit the name of an owner. Bytes. */
const longestName = 300;
/** The longest delay of a timer. Milliseconds. */
const longestDelay = 2 ** 31 - 1;

/** Whether the declarations of the pod count. */
function counts({ declaredIn }: WatchedService, { pod }: Episode): boolean {
  return declaredIn !== 'none' && includesName(declaredIn, pod.namespace);
}

/** Whether a window would delete this pod, which crash-loops now, and did so when the other one still crash-looped. */
function isFreed(service: WatchedService, episode: Episode, { ranAt = 0 }: Episode): boolean {
  const { pod, since } = episode;
  const isCrashLooping = episode.ranAt === undefined && since <= ranAt;
  return isCrashLooping && counts(service, episode) && protectionBy(service, pod) === 'none';
}
