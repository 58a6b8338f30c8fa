import type { ObserverEvent } from '../../../src/observer/objects/events.ts';

export const application = { namespace: 'shop', name: 'web', uid: 'uid-of-web' };
export const about = {
  application,
  resource: { group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'nginx' },
  apiVersion: 'apps/v1',
  uid: 'uid-of-nginx',
} as const;
export const image = '.spec.template.spec.containers[name="nginx"].image';
export const drifts = [{ path: image, desired: 'nginx:1', found: 'evil:1', type: 'changed' }] as const;
export const refusal = { reason: 'not allowed.', failure: 'forbidden', attempt: 1, retryIn: 200 } as const;

const applied = { type: 'application.applied', application, generation: 3, resources: 2, failed: 0 } as const;
export const drifted = {
  type: 'resource.drifted',
  ...about,
  drifts,
  conflictingManager: 'kubectl-edit/Update',
  isCorrected: true,
} as const;
const missing = { type: 'resource.missing', ...about, isCorrected: true } as const;
export const contested = {
  type: 'resource.correctionBackOff',
  ...about,
  conflictingManager: undefined,
  wait: 4_000,
} as const;

/** One of each kind that is recorded as an Event. */
export const reported: readonly ObserverEvent[] = [
  applied,
  { ...applied, failed: 1 },
  { type: 'application.invalid', application, reason: 'One error: a.' },
  { type: 'application.partlyInvalid', application, reason: 'One error: a.' },
  { type: 'application.paused', application, until: Date.UTC(2026, 0, 1) },
  { type: 'application.refused', application, ...refusal, failure: 'blocked' },
  {
    type: 'application.serviceAccountNotFound',
    application,
    reason: 'the ServiceAccount shop/deployer does not exist.',
  },
  drifted,
  { ...drifted, isCorrected: false },
  missing,
  { ...missing, isCorrected: false },
  { type: 'resource.corrected', ...about, drifts, took: 7 },
  { type: 'resource.applied', ...about, how: 'recreated' },
  contested,
  { type: 'resource.correctionPending', ...about, reason: 'no maintenance window is open' },
  { type: 'resource.mutatedByAdmission', ...about, paths: [image] },
  { type: 'resource.desiredStateChanged', ...about, paths: [image] },
  { type: 'resource.refused', ...about, ...refusal, failure: 'permanent' },
  { type: 'resource.failed', ...about, ...refusal },
  {
    type: 'resource.ownershipConflict',
    ...about,
    reason: 'It belongs to the application shop/api, and not to shop/web.',
  },
  { type: 'resource.noKindMatch', ...about, reason: 'The cluster has no Widget.' },
  { type: 'resource.deleted', ...about },
  { type: 'resource.released', ...about },
  { type: 'resource.deletionSkipped', ...about, reason: 'shop/web has not applied this object.' },
  { type: 'resource.deletionDelayed', ...about, reason: 'waits for its finalizers example.org/cleanup' },
];

/** One of each kind that is only logged. */
export const withoutEvent: readonly ObserverEvent[] = [
  { type: 'resource.failed', ...about, ...refusal, failure: 'transient' },
  { type: 'application.refused', application, ...refusal, failure: 'transient' },
  { type: 'resource.applied', ...about, how: 'created' },
  { type: 'resource.terminating', ...about },
  { type: 'application.serviceAccountUnverified', application, reason: 'not allowed.' },
  { type: 'application.deleted', application, policy: 'delete' },
  { type: 'actor.failed', actor: 'x', error: new Error('x') },
];
