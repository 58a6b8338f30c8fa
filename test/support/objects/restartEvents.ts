import type { RestartEvent } from '../../../src/restart/references/events.ts';
import type { SourceRef, WorkloadRef } from '../../../src/restart/references/refs.ts';

export const web: WorkloadRef = { kind: 'Deployment', namespace: 'shop', name: 'web' };
export const settings: SourceRef = { kind: 'ConfigMap', namespace: 'shop', name: 'settings' };
export const password: SourceRef = { kind: 'Secret', namespace: 'vault', name: 'password' };

const about = { workload: web, uid: 'uid-of-web' };
const sources = [
  { source: settings, keys: ['a', 'b'] },
  { source: password, keys: [] },
];
const since = Date.UTC(2026, 10, 21, 10);

/** One event of each kind. */
export const restartEventOf: { readonly [T in RestartEvent['type']]: Extract<RestartEvent, { type: T }> } = {
  'workload.adopted': { type: 'workload.adopted', sources: 2, ...about },
  'workload.changed': { type: 'workload.changed', sources, since, ...about },
  'workload.pending': {
    type: 'workload.pending',
    cause: 'window',
    reason: 'no maintenance window is open',
    until: since + 3_600_000,
    ...about,
  },
  'workload.blocked': {
    type: 'workload.blocked',
    cause: 'sourceMissing',
    reason: 'ConfigMap settings is missing',
    ...about,
  },
  'workload.restarted': { type: 'workload.restarted', sources, how: 'rollout', attempt: 1, ...about },
  'workload.rolledOut': { type: 'workload.rolledOut', took: 20_000, sinceChange: 25_400, ...about },
  'workload.skipped': { type: 'workload.skipped', sources, ...about },
  'workload.stalled': { type: 'workload.stalled', reason: 'web-1 cannot pull its image', ...about },
  'workload.reverted': { type: 'workload.reverted', times: 1, isEvicting: false, ...about },
  'workload.refused': {
    type: 'workload.refused',
    reason: 'https://api refused (403): no. Grant it.',
    failure: 'forbidden',
    attempt: 2,
    retryIn: 400,
    ...about,
  },
  'workload.recreated': { type: 'workload.recreated', ...about },
  'pod.evicted': { type: 'pod.evicted', pod: 'web-5d4f8-abcde', waitedFor: [settings], isDryRun: false, ...about },
  'workload.released': { type: 'workload.released', ...about },
  'history.filled': { type: 'history.filled', revisions: 10, ...about },
  'annotation.unreadable': {
    type: 'annotation.unreadable',
    annotation: 'weeder.dev/paused-until',
    reason: '"soon" is not a time',
    ...about,
  },
  'annotation.ofOtherTool': {
    type: 'annotation.ofOtherTool',
    annotation: 'reloader.stakater.com/auto',
    isInTemplate: true,
    means: true,
    isLast: false,
    ...about,
  },
  'state.contested': { type: 'state.contested', removals: 4, pause: 10_000, ...about },
  'dependency.notAllowed': { type: 'dependency.notAllowed', source: password, ...about },
  'dependency.notFollowed': { type: 'dependency.notFollowed', source: password, ...about },
  'state.foreign': { type: 'state.foreign', keyId: 'zyxwvuts', ...about },
  'key.changed': { type: 'key.changed', keyId: 'abcdefgh', before: undefined },
  'key.created': { type: 'key.created', secret: 'weeder/weeder-hash-key' },
  'key.missing': { type: 'key.missing', reason: 'The Secret weeder/weeder-hash-key has no entry key.', isKnown: false },
  'actor.failed': { type: 'actor.failed', actor: 'workload deployment/shop/web', error: new Error('broke') },
};
export const everyRestartEvent: readonly RestartEvent[] = Object.values(restartEventOf);
