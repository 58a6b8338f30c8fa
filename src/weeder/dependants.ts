import type { DeclaredBy } from './declared/declaration.ts';
import type { Dependants } from './deletions/deletionRequest.ts';
import type { CrashLoopingPod } from './pods/crashLooping.ts';

/** Who depends on a service: the pods of a podSelector of the config, or a workload that declares the service. */
export interface Dependant {
  readonly by: 'configured' | 'declared';
  /**
   * What says so: the place in `podSelectors` of the service, from 0, or where the pods name it. Undefined: only pods
   * that crash-loop are known.
   */
  readonly source: number | DeclaredBy | undefined;
  /** The canonical text of the podSelector, or the workload: `Deployment shop/web`. */
  readonly name: string;
  /** The namespaces of its pods. */
  readonly namespaces: 'all' | readonly string[];
  /** How many of its pods crash-loop now, by workload. */
  crashLooping(): ReadonlyMap<string, number>;
}

/** A watched service with its dependants. */
export interface ServiceDependants {
  /** Empty: the config names the service, and no watched namespace has it. */
  readonly namespace: string;
  readonly service: string;
  readonly dependants: readonly Dependant[];
}

/** A workload that declares services. */
export interface DeclaringWorkload {
  /** `Deployment shop/web` */
  readonly name: string;
  readonly namespace: string;
  readonly by: DeclaredBy;
}

/** The pods of a podSelector, which is at this place in the config of the service. */
export function selectedBy(selector: string, place: number, { index, scope }: Dependants): Dependant {
  const crashLooping = () => countByWorkload(index.podsIn(scope));
  return { by: 'configured', source: place, name: selector, namespaces: scope, crashLooping };
}

/** The workloads that declare a service: the known ones, and those whose pods crash-loop. */
export function declaring({ index, scope }: Dependants, workloads: Iterable<DeclaringWorkload>): Dependant[] {
  const pods = index.podsIn(scope);
  const counts = countByWorkload(pods);
  const declaring = new Map<string, Pick<DeclaringWorkload, 'namespace'> & { readonly by?: DeclaredBy }>();
  for (const { workload, namespace } of pods) declaring.set(workload, { namespace });
  for (const workload of workloads) declaring.set(workload.name, workload);
  return [...declaring].map(([name, { namespace, by }]) => {
    const count = counts.get(name);
    const crashLooping = new Map(count === undefined ? [] : [[name, count]]);
    return { by: 'declared', source: by, name, namespaces: [namespace], crashLooping: () => crashLooping };
  });
}

function countByWorkload(pods: readonly CrashLoopingPod[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { workload } of pods) counts.set(workload, (counts.get(workload) ?? 0) + 1);
  return counts;
}
