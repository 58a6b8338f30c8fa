import type { DeclaredBy } from './declared/declaration.ts';
import type { Dependants } from './deletions/deletionRequest.ts';
import type { CrashLoopingPod } from './pods/crashLooping.ts';

/** Where the config has a podSelector. */
export interface SelectorPlace {
  /** In `podSelectors` of the service, from 0. */
  readonly position: number;
  /** In the config file. Undefined: the config was not read from a file, as in a replay. */
  readonly line: number | undefined;
}

/** Who depends on a service: the pods of a podSelector of the config, or a workload that declares the service. */
export interface Dependant {
  readonly by: 'configured' | 'declared';
  /** What says so: a place in the config, or where the pods name it. Undefined: only pods that crash-loop are known. */
  readonly source: SelectorPlace | DeclaredBy | undefined;
  /** The canonical text of the podSelector, or the workload: `Deployment shop/web`. */
  readonly name: string;
  /** The namespaces of its pods. */
  readonly namespaces: 'all' | readonly string[];
  /** Its pods that crash-loop now. */
  pods(): readonly CrashLoopingPod[];
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

/** The pods of a podSelector, which is at this place in the config. */
export function selectedBy(selector: string, place: SelectorPlace, { index, scope }: Dependants): Dependant {
  return { by: 'configured', source: place, name: selector, namespaces: scope, pods: () => index.podsIn(scope) };
}

/** The workloads that declare a service: the known ones, and those whose pods crash-loop. */
export function declaring({ index, scope }: Dependants, workloads: Iterable<DeclaringWorkload>): Dependant[] {
  const byWorkload = Map.groupBy(index.podsIn(scope), ({ workload }) => workload);
  const declaring = new Map<string, Pick<DeclaringWorkload, 'namespace'> & { readonly by?: DeclaredBy }>();
  for (const [workload, [pod]] of byWorkload)
    if (pod !== undefined) declaring.set(workload, { namespace: pod.namespace });
  for (const workload of workloads) declaring.set(workload.name, workload);
  return [...declaring].map(([name, { namespace, by }]) => {
    const pods = byWorkload.get(name) ?? [];
    return { by: 'declared', source: by, name, namespaces: [namespace], pods: () => pods };
  });
}

/** What says that it depends on the service: `label`, `annotation`, `podSelectors[0] on line 12`; empty: unknown. */
export function sourceText({ source }: Dependant): string {
  if (typeof source !== 'object') return source ?? '';
  const { position, line } = source;
  return `podSelectors[${position}]${line === undefined ? '' : ` on line ${line}`}`;
}

/** `Deployment shop/web`, `pods with app=web in shop`: unique, because the name of a workload contains its namespace. */
export function dependantId({ by, name, namespaces }: Dependant): string {
  if (by === 'declared') return name;
  return `pods with ${name} in ${namespaces === 'all' ? 'all namespaces' : namespaces.join(', ')}`;
}
