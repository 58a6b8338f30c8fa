import { matchesSelector } from '@weeder/kube-runtime/objects';
import { isBehind, type Observed, type ObservedService, type ObservedWorkload } from './observed.ts';
import type { DeclaredWait } from './text/declaredWaits.ts';

/** Finds the Services that a declared wait means. */
export interface WaitedServices {
  /** `namespace`: of the workload that waits. */
  servicesOf(wait: DeclaredWait, namespace: string): readonly ObservedService[];
}

export function createWaitedServices({ services, workloads }: Observed): WaitedServices {
  const servicesIn = Map.groupBy(services, (service) => service.namespace);
  const workloadsIn = Map.groupBy(workloads, ({ ref }) => ref.namespace);

  /** Of several Services for the same pods, those with an address of their own. */
  function servicesFor(pods: readonly ObservedWorkload[], namespace: string): readonly ObservedService[] {
    const candidates = (servicesIn.get(namespace) ?? []).filter((service) =>
      pods.some((workload) => isBehind(workload, service)),
    );
    const addressed = candidates.filter(({ isHeadless }) => !isHeadless);
    return addressed.length === 0 ? candidates : addressed;
  }

  return {
    servicesOf({ of, name, namespace: named }, own) {
      const namespace = named ?? own;
      if (of === 'service') return (servicesIn.get(namespace) ?? []).filter((service) => service.name === name);
      const workloads = workloadsIn.get(namespace) ?? [];
      if (of === 'labels') {
        const matchLabels = labelsIn(name);
        if (matchLabels === undefined) return [];
        return servicesFor(
          workloads.filter(({ labels }) => matchesSelector({ matchLabels }, labels)),
          namespace,
        );
      }
      const names = [name, name.replace(/-\d+$/, '')];
      return servicesFor(
        workloads.filter(({ ref }) => names.includes(ref.name)),
        namespace,
      );
    },
  };
}

/** Undefined: it has other conditions than equality. */
function labelsIn(selector: string): Record<string, string> | undefined {
  const pairs = selector.split(',').map((pair) => /^([\w./-]+)==?([\w.-]+)$/.exec(pair));
  if (pairs.includes(null)) return undefined;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
}
