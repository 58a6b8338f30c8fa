import { keyOf } from '@weeder/kube-runtime/objects';
import { addTo, removeFrom } from '../../base/mapOfSets.ts';
import type { Dependants } from '../deletions/deletionRequest.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';

interface Service {
  readonly namespace: string;
  readonly service: string;
}

/**
 * The services that are down now although they exist. One that this process has seen ready holds all of its
 * dependants. One that has never been ready holds only those that declare it, and only while it has endpoints: a config
 * may name services that are not in use, but a pod that declares a service waits for it.
 */
export interface Outages {
  /** A service is down. `wasReady`: this process has seen it ready. */
  began(service: Service, wasReady: boolean): void;
  /** It is ready again, does not exist any more, or is no longer watched. */
  ended(service: Service): void;
  /**
   * The config has changed, and with it the watched services and their dependants. No deletion is reconsidered before all
   * outages are those of the new config.
   */
  refresh(): void;
  /** The first of these services on which the pod depends, other than this one: `namespace/name`. */
  heldBy(pod: CrashLoopingPod, other: Service): string | undefined;
}

interface OutagesOptions {
  readonly isWatched: (namespace: string, service: string) => boolean;
  /** The dependants whose deletions wait while the service is down. */
  readonly heldDependantsOf: (namespace: string, service: string, wasReady: boolean) => readonly Dependants[];
  /** The groups of a pod in the index of declared dependants. */
  readonly declaredGroupsOf: (uid: string) => readonly string[];
  /** Called with the pods whose deletion may have to wait now, or no longer. */
  readonly onChanged: (uids: Iterable<string>) => void;
}

interface Outage extends Service {
  readonly key: string;
  readonly wasReady: boolean;
  readonly dependants: readonly Dependants[];
}

export function createOutages({ isWatched, heldDependantsOf, declaredGroupsOf, onChanged }: OutagesOptions): Outages {
  const outages = new Map<string, Outage>();
  /** By group of pods, so that a pod is compared with few services. */
  const byGroup = new Map<string, Set<Outage>>();

  function put({ namespace, service }: Service, wasReady: boolean): Outage {
    const key = keyOf(namespace, service);
    const dependants = heldDependantsOf(namespace, service, wasReady);
    const outage = { key, namespace, service, wasReady, dependants };
    outages.set(key, outage);
    for (const group of groupsOf(outage)) addTo(byGroup, group, outage);
    return outage;
  }

  function remove(outage: Outage): void {
    outages.delete(outage.key);
    for (const group of groupsOf(outage)) removeFrom(byGroup, group, outage);
  }

  return {
    began(service, wasReady) {
      if (!outages.has(keyOf(service.namespace, service.service))) onChanged(uidsOf(put(service, wasReady)));
    },
    ended({ namespace, service }) {
      const outage = outages.get(keyOf(namespace, service));
      if (outage === undefined) return;
      remove(outage);
      onChanged(uidsOf(outage));
    },
    refresh() {
      const changed = [...outages.values()].map((outage) => {
        remove(outage);
        return isWatched(outage.namespace, outage.service) ? [outage, put(outage, outage.wasReady)] : [outage];
      });
      onChanged(new Set(changed.flat().flatMap((outage) => [...uidsOf(outage)])));
    },
    heldBy(pod, { namespace, service }) {
      if (outages.size === 0) return undefined;
      const own = keyOf(namespace, service);
      for (const group of [pod.namespace, everywhere, ...declaredGroupsOf(pod.uid)])
        for (const { key, dependants } of byGroup.get(group) ?? [])
          if (key !== own && dependants.some(({ index, scope }) => index.includes(scope, pod.uid))) return key;
      return undefined;
    },
  };
}

/** No group of pods has this name. */
const everywhere = '*';

function groupsOf({ dependants }: Outage): ReadonlySet<string> {
  return new Set(dependants.flatMap(({ scope }) => (scope === 'all' ? everywhere : scope)));
}

function uidsOf({ dependants }: Outage): Set<string> {
  return new Set(dependants.flatMap(({ index, scope }) => [...index.uids(scope)]));
}
