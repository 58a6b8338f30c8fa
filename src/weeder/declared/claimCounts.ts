import type { Claim } from './claims.ts';

/** Limits the claims of the pods of one namespace, so that a tenant cannot have weeder watch and report without end. */
interface ClaimCounts {
  add(claim: Claim): void;
  remove(claim: Claim): void;
  /** Whether the pods of the namespace may declare this service, too. */
  hasRoomFor(namespace: string, service: string): boolean;
  /** Whether another problem of the namespace may be reported. */
  hasRoomForProblem(namespace: string): boolean;
}

/** The number of services that the pods of one namespace may declare. */
export const maxServices = 100;
const maxProblems = 100;
/** No service has this key. */
const problem = '';

export function createClaimCounts(): ClaimCounts {
  /** By namespace: how many claims there are about each service, and about problems in total. */
  const counts = new Map<string, Map<string, number>>();

  function change({ workload: { namespace }, about }: Claim, by: 1 | -1): void {
    const ofNamespace = counts.get(namespace) ?? new Map<string, number>();
    const key = 'service' in about ? about.service : problem;
    const count = (ofNamespace.get(key) ?? 0) + by;
    if (count > 0) ofNamespace.set(key, count);
    else ofNamespace.delete(key);
    if (ofNamespace.size > 0) counts.set(namespace, ofNamespace);
    else counts.delete(namespace);
  }

  return {
    add: (claim) => change(claim, 1),
    remove: (claim) => change(claim, -1),
    hasRoomFor(namespace, service) {
      const ofNamespace = counts.get(namespace);
      if (ofNamespace === undefined || ofNamespace.has(service)) return true;
      return ofNamespace.size - (ofNamespace.has(problem) ? 1 : 0) < maxServices;
    },
    hasRoomForProblem: (namespace) => (counts.get(namespace)?.get(problem) ?? 0) < maxProblems,
  };
}
