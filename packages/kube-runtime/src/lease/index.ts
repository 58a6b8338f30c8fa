export { areTimesInOrder, type Election, leaseName } from './election.ts';
export type { LeadershipChange } from './leadershipChange.ts';
export { createLeadershipTerm } from './leadershipTerm.ts';
export { logReleaseFailed, provideLease } from './lease.ts';
export { acquired, readLease, released } from './record.ts';
