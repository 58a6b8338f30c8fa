/**
 * Follows each pod that declares services from its first crash-loop until it is Ready for long enough. Does not know
 * what happened while the streams were interrupted: a pod that is missing from a list begins again, and one that has
 * crashed meanwhile is known by its restarts.
 */

import type { Clock, TimerHandle } from '@weeder/kube-runtime/base';
import { numberOf, objectOf, textOf } from '@weeder/kube-runtime/base';
import { containerStatusesOf, controllerOf, isPodReady, uidOf } from '@weeder/kube-runtime/objects';
import { addTo, removeFrom } from '../../base/mapOfSets.ts';
import { servicesDeclaredBy } from '../declared/declaration.ts';
import { type CrashLoopingPod, crashLooping } from '../pods/crashLooping.ts';
import { deletedAtOf } from '../pods/deletedAt.ts';
import type { PodSource, Reports } from '../pods/podSink.ts';
import type { Episode } from './episode.ts';
import { createVacancies } from './vacancies.ts';

interface Followed {
  readonly uid: string;
  readonly episode: Episode;
  /** All services that it declares. */
  declared: readonly string[];
  source: PodSource;
  list: number;
  /** While the pod is Ready. */
  ready: { readonly restarts: number; readonly timer: TimerHandle } | undefined;
}

/** It takes what the streams of declarations report. */
interface Episodes extends Reports {
  /** The episodes of pods that declare the service, while its EndpointSlices say the same. */
  of(service: string): Iterable<Episode>;
  /** The EndpointSlices of the service have changed: they decide, and no episode up to now says anything about it. */
  changed(service: string): void;
  /** The services that followed pods declare, and those about which an episode says something. */
  services(): Iterable<string>;
  /** Forgets everything. */
  clear(): void;
}

interface EpisodesOptions {
  readonly clock: Clock;
  /** Whether the config wants it; may change. */
  readonly isOn: () => boolean;
  /** How long the pod has to be Ready, without a break. Milliseconds. */
  readonly readyFor: (episode: Episode) => number;
  /** The episode has ended: its pod has been Ready for so long. */
  readonly onRecovered: (episode: Episode) => void;
}

export function createEpisodes({ clock, isOn, readyFor, onRecovered }: EpisodesOptions): Episodes {
  /** By uid of the pod. */
  const followed = new Map<string, Followed>();
  /** Also those of deleted pods, which may continue. */
  const byService = new Map<string, Set<Episode>>();
  const vacancies = createVacancies(clock, end);

  function end(episode: Episode): void {
    for (const service of episode.services) removeFrom(byService, service, episode);
  }

  function follow(uid: string, episode: Episode, source: PodSource): Followed {
    const added = { uid, episode, declared: [], source, list: source.list, ready: undefined };
    followed.set(uid, added);
    return added;
  }

  function begin(pod: CrashLoopingPod, object: unknown, services: readonly string[]): Episode {
    const since = clock.monotonic();
    const episode = { pod, template: templateOf(object), services: new Set(services), since, ranAt: undefined };
    for (const service of services) addTo(byService, service, episode);
    return episode;
  }

  function unfollow({ uid, episode, ready }: Followed): Episode {
    clock.clearTimeout(ready?.timer);
    followed.delete(uid);
    return episode;
  }

  /** The pod is gone, or is no longer seen. */
  function leave(each: Followed, deletedAt?: number): void {
    const episode = unfollow(each);
    episode.ranAt ??= clock.monotonic();
    if (deletedAt === undefined || episode.template === undefined) end(episode);
    else vacancies.add(episode, deletedAt);
  }

  function crashed(each: Followed, pod: CrashLoopingPod): void {
    clock.clearTimeout(each.ready?.timer);
    each.ready = undefined;
    each.episode.pod = pod;
    each.episode.ranAt = undefined;
  }

  function runs(each: Followed, status: ReturnType<typeof objectOf>): void {
    const { episode, ready } = each;
    episode.ranAt ??= clock.monotonic();
    const restarts = restartsIn(status);
    const isReady = isPodReady(status);
    if (isReady && ready?.restarts === restarts) return;
    clock.clearTimeout(ready?.timer);
    each.ready = undefined;
    if (!isReady) return;
    const timer = clock.setTimeout(() => {
      end(unfollow(each));
      onRecovered(episode);
    }, readyFor(episode));
    each.ready = { restarts, timer };
  }

  function keepOnly(services: readonly string[], episode: Episode): void {
    for (const service of episode.services) {
      if (services.includes(service)) continue;
      episode.services.delete(service);
      removeFrom(byService, service, episode);
    }
  }

  /** A version of a pod that declares these services. */
  function take(known: Followed | undefined, services: readonly string[], object: unknown, source: PodSource): void {
    const pod = crashLooping(object);
    const continued = known?.episode ?? vacancies.take(templateOf(object), object);
    const episode = continued ?? (pod && begin(pod, object, services));
    if (episode === undefined) return;
    const each = known ?? follow(uidOf(object), episode, source);
    each.declared = services;
    each.source = source;
    each.list = source.list;
    keepOnly(services, episode);
    if (pod !== undefined) crashed(each, pod);
    else runs(each, objectOf(objectOf(object)['status']));
  }

  function forget(isGone: (each: Followed) => boolean): void {
    for (const each of followed.values()) if (isGone(each)) leave(each);
  }

  function clear(): void {
    forget(() => true);
    vacancies.clear();
  }

  return {
    // Any pod may be the one that replaces a deleted one.
    has: (uid) => isOn() && (followed.has(uid) || vacancies.isAny()),
    report(source, type, object) {
      if (!isOn()) {
        clear();
        return;
      }
      const known = followed.get(uidOf(object));
      const deletedAt = deletedAtOf(object);
      const services = type === 'DELETED' || deletedAt !== undefined ? [] : servicesDeclaredBy(object);
      if (services.length > 0) take(known, services, object, source);
      else if (known !== undefined) leave(known, deletedAt);
    },
    completed: (source) => forget((each) => each.source === source && each.list !== source.list),
    closed: (source) => forget((each) => each.source === source),
    of: (service) => byService.get(service) ?? [],
    changed(service) {
      for (const { services } of byService.get(service) ?? []) services.delete(service);
      byService.delete(service);
    },
    *services() {
      yield* byService.keys();
      for (const { declared } of followed.values()) yield* declared;
    },
    clear,
  };
}

/** The pods of a StatefulSet or DaemonSet have one controller for all revisions of their template. */
function templateOf(pod: unknown): string | undefined {
  const meta = objectOf(objectOf(pod)['metadata']);
  const owner = textOf(controllerOf(meta)?.['uid']);
  const revision = textOf(objectOf(meta['labels'])['controller-revision-hash']) ?? '';
  return owner === undefined ? undefined : `${owner} ${revision}`;
}

function restartsIn(status: ReturnType<typeof objectOf>): number {
  return containerStatusesOf(status).reduce((sum, { restartCount }) => sum + (numberOf(restartCount) ?? 0), 0);
}
