import type { JsonObject } from '@weeder/kube-runtime/base';
import { type Dependency, serviceKey, strongestFirst } from '../../dependencies/dependency.ts';
import { isBehind, type Observed, type ObservedWorkload } from '../observed.ts';
import { createClusterServices, type NamedClusterService } from './clusterServices.ts';
import type { FailingPod, LogTarget } from './failingPods.ts';
import { createWorkloadOfPod } from './workloadOfPod.ts';

/** Reads the last lines of the log of a container; none if they cannot be read. The promise never rejects. */
type ReadLastLines = (container: LogTarget) => Promise<readonly string[]>;

/** What is searched for the names of cluster services. */
interface FailingCluster {
  readonly objects: readonly JsonObject[];
  readonly observed: Observed;
  readonly failingPods: readonly FailingPod[];
}

/** The pods of a workload fail alike. */
const logsPerWorkload = 3;
/** The number of logs that are read concurrently: the API server requests each from a kubelet. */
const concurrency = 8;

/**
 * Which workloads depend on which cluster services, by the last messages of their failing pods. The log of a pod is
 * read only if its messages name none.
 */
export async function clusterDependencies(
  { objects, observed, failingPods }: FailingCluster,
  readLastLines: ReadLastLines,
): Promise<Dependency[]> {
  const servicesIn = createClusterServices(observed);
  const workloadOf = createWorkloadOfPod(objects, observed);
  const found = new Map<ObservedWorkload, NamedClusterService[]>();
  const unread = new Map<ObservedWorkload, [FailingPod, LogTarget][]>();
  for (const pod of failingPods) {
    const workload = workloadOf(pod.metadata);
    if (workload === undefined) continue;
    const named = pod.messages.flatMap((message) => servicesIn(pod, message));
    if (named.length > 0) append(found, workload, named);
    else if (pod.crashed !== undefined) append(unread, workload, [[pod, pod.crashed]]);
  }
  const reads = [...unread].flatMap(([workload, pods]) =>
    pods.slice(0, logsPerWorkload).map(([pod, target]) => async () => {
      const text = (await readLastLines(target)).join('\n');
      const where = `log of container ${target.container}`;
      append(found, workload, servicesIn(pod, { where, of: 'run', text }));
    }),
  );
  for (let index = 0; index < reads.length; index += concurrency)
    await Promise.all(reads.slice(index, index + concurrency).map((read) => read()));
  return [...found].flatMap(([workload, named]) => dependenciesOf(workload, named));
}

function append<K, V>(lists: Map<K, V[]>, key: K, values: readonly V[]): void {
  lists.set(key, [...(lists.get(key) ?? []), ...values]);
}

/** A Service does not depend on itself: its own pods may report that they cannot reach each other. */
function dependenciesOf(workload: ObservedWorkload, named: readonly NamedClusterService[]): Dependency[] {
  const others = named.filter(({ service }) => !isBehind(workload, service));
  return [...Map.groupBy(others, ({ service }) => serviceKey(service)).values()].flatMap(([first, ...rest]) => {
    if (first === undefined) return [];
    const { namespace, name } = first.service;
    const each = new Map([first, ...rest].map(({ evidence }) => [`${evidence.where} ${evidence.found}`, evidence]));
    const evidence = strongestFirst([...each.values()]);
    const confidence = evidence[0]?.confidence;
    return [
      {
        service: { namespace, name },
        workload: workload.ref,
        sources: ['suggested'],
        isFound: true,
        confidence,
        evidence,
      },
    ];
  });
}
