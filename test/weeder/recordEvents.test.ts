import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { EventDraft } from '@weeder/kube-runtime/events';
import { virtualClock } from '@weeder/kube-runtime/testing';
import { observerReasons } from '../../src/observer/report/reasons.ts';
import { processEventTable } from '../../src/process/processEvents.ts';
import { restartReasons } from '../../src/restart/report/reasons.ts';
import type { WeederEvent } from '../../src/weeder/deletions/weederEvents.ts';
import { ownerApis } from '../../src/weeder/owners/failedCreate.ts';
import type { CrashLoopingPod } from '../../src/weeder/pods/crashLooping.ts';
import { terminationMessage } from '../../src/weeder/pods/lastRun.ts';
import { weederReasons } from '../../src/weeder/report/reasons.ts';
import { recordWeederEvents } from '../../src/weeder/report/reportWeeder.ts';
import { eventsTable } from '../support/docs/eventsTable.ts';
import { crashLoopingPod } from '../support/objects/crashLoopingPod.ts';

const clock = virtualClock();
const window = { namespace: 'shop', service: 'etcd', window: 1 };
const pod = crashLoopingPod({ uid: 'uid-of-web-0', finishedAt: clock.now() - 20_000 });
const deleted = {
  type: 'pod.deleted',
  pod,
  sinceOpened: 12,
  isRepeated: false,
  how: 'delete',
  ...window,
} as const;
const opened = { type: 'window.opened', duration: 119_700, ...window } as const;
const closed = { type: 'window.closed', deleted: 2, skipped: 1, failed: [], ...window } as const;
const skipped = { type: 'pod.skipped', pod, reason: 'barePod', ...window } as const;
const pending = {
  type: 'deletion.pending',
  pod,
  reason: 'coolingDown',
  waitIn: 12_400,
  ...window,
} as const;
const failed = { type: 'deletion.failed', pod, reason: 'the window closed first', ...window } as const;

const owner = { kind: 'ReplicaSet', namespace: 'shop', name: 'web-1', uid: 'u' } as const;
const refused = { owner, webhook: 'policy.example.com', evidence: '1', ...window };
const web = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web', uid: undefined };

/** The Events for these domain events. */
function eventsFor(
  domainEvents: readonly WeederEvent[],
  options: { isDryRun?: boolean; uid?: () => string | undefined } = {},
) {
  const { isDryRun = false, uid = () => 'uid-of-etcd' } = options;
  const events: EventDraft[] = [];
  const record = recordWeederEvents({
    record: (event) => events.push(event),
    serviceUid: uid,
    isDryRun,
    now: clock.now,
  });
  for (const event of domainEvents) record(event);
  return events;
}

const notes = (...given: Parameters<typeof eventsFor>) => eventsFor(...given).map(({ note }) => note);

test('the Event of a deleted pod has its container, the reason, the service and the remaining back-off', () => {
  assert.deepEqual(eventsFor([deleted]), [
    {
      regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web-0', uid: 'uid-of-web-0' },
      type: 'Normal',
      reason: 'PodDeleted',
      action: 'Delete',
      note: 'Deleted, because service etcd recovered: container main was in CrashLoopBackOff after 4 restarts, with 1m0s of its back-off left.',
    },
  ]);
});

test('the Event of a deleted pod says how the last run of its container ended', () => {
  const finishedAt = Date.UTC(2026, 0, 1, 0, 0, 5);
  const lastRun = {
    exitCode: 137,
    signal: 9,
    reason: 'OOMKilled',
    startedAt: finishedAt - 5_000,
    message: 'too large',
  };
  const ended = (part: Partial<CrashLoopingPod>) =>
    notes([{ ...deleted, pod: { ...pod, finishedAt, lastRun, ...part } }])[0]?.replace(/^.* left\. /, '');
  assert.deepEqual(
    [
      ended({}),
      ended({ lastRun: { ...lastRun, signal: undefined, reason: undefined, message: 'Stopped!' } }),
      ended({ lastRun: { ...lastRun, startedAt: undefined, message: undefined } }),
    ],
    [
      'It last ran from 2026-01-01T00:00:00Z to 2026-01-01T00:00:05Z and ended with exit code 137, signal 9 (OOMKilled): too large.',
      'It last ran from 2026-01-01T00:00:00Z to 2026-01-01T00:00:05Z and ended with exit code 137: Stopped!',
      'It last ended with exit code 137, signal 9 (OOMKilled).',
    ],
  );
  const message = terminationMessage('ü'.repeat(4000));
  const [note = ''] = notes([{ ...deleted, pod: { ...pod, finishedAt, lastRun: { ...lastRun, message } } }]);
  assert.ok(Buffer.byteLength(note) < 1024);
});

test('an eviction in unreported back-off, in another namespace and at an unknown time has an Event', () => {
  const unreported = { ...pod, cause: 'unreported', namespace: 'web', restarts: 1, finishedAt: undefined } as const;
  const [event] = eventsFor([{ ...deleted, pod: unreported, how: 'evict' }]);
  assert.deepEqual([event?.action, event?.regarding.namespace], ['Evict', 'web']);
  assert.equal(
    event?.note,
    'Evicted, because service shop/etcd recovered: container main was in unreported back-off after 1 restart.',
  );
});

test('a window is reported on the Service, with its uid also after its slices are deleted', () => {
  const uids = ['uid-of-etcd'];
  const events = eventsFor([opened, closed], { uid: () => uids.pop() });
  const service = { apiVersion: 'v1', kind: 'Service', namespace: 'shop', name: 'etcd', uid: 'uid-of-etcd' };
  assert.deepEqual(events, [
    {
      regarding: service,
      type: 'Normal',
      reason: 'WindowOpened',
      action: 'Watch',
      note: 'Recovered: for 2m0s, dependants in crash-loop back-off are deleted.',
    },
    {
      regarding: service,
      type: 'Normal',
      reason: 'WindowClosed',
      action: 'Stop',
      note: 'Window closed: 2 pods deleted, 1 skipped.',
    },
  ]);
});

test('a service of unknown uid is still reported', () => {
  const [event] = eventsFor([opened], { uid: () => undefined });
  assert.deepEqual([event?.regarding.name, event?.regarding.uid], ['etcd', undefined]);
});

test('a window with failed deletions is a warning, and names the pods', () => {
  const [event] = eventsFor([{ ...closed, deleted: 1, failed: ['shop/web-0', 'shop/web-1'] }]);
  assert.equal(event?.type, 'Warning');
  assert.equal(event?.note, 'Window closed: 1 pod deleted, 1 skipped, 2 failed: shop/web-0, shop/web-1.');
});

test('the Event of a window that the next one has replaced does not say that the window is closed', () => {
  const replaced = { ...closed, isReplaced: true, failed: ['shop/web-0'] } as const;
  assert.deepEqual(notes([replaced]), [
    'Window replaced by the next one: 2 pods deleted, 1 skipped, 1 failed: shop/web-0.',
  ]);
});

test('a window names the dependants that never started, and why they are not deleted', () => {
  const one = { namespace: 'shop', name: 'web-0', container: 'main', reason: 'ImagePullBackOff', because: 'no image' };
  const many = Array.from({ length: 500 }, (_, index) => ({ ...one, name: `web-${1000 + index}` }));
  assert.deepEqual(notes([{ ...closed, neverStarted: [one] }]), [
    'Window closed: 2 pods deleted, 1 skipped. Never started, and not deleted, as the kubelet tries again: shop/web-0 (ImagePullBackOff).',
  ]);
  const [note = ''] = notes([{ ...closed, neverStarted: many, failed: many.map(({ name }) => name) }]);
  assert(note.length < 1024);
});

test('pods that do not fit into a note are counted', () => {
  const many = Array.from({ length: 500 }, (_, index) => `shop/web-${1000 + index}`);
  const [note = ''] = notes([{ ...closed, failed: many }]);
  assert(note.length < 1024);
  const [, names = '', hidden] = /, 500 failed: (.*) and (\d+) more\.$/.exec(note) ?? [];
  const shown = names.split(', ');
  assert.deepEqual([...shown, ...many.slice(shown.length)], many);
  assert.equal(shown.length + Number(hidden), 500);
});

test('the Event of a pending deletion has the reason and the duration', () => {
  assert.deepEqual(notes([pending, { ...pending, reason: 'restartIsSooner', waitIn: 300 }]), [
    'Crash-looping, and not deleted yet after service etcd recovered: the pod replaces one that was deleted recently. The next check is in 12s.',
    'Crash-looping, and not deleted yet after service etcd recovered: the kubelet restarts the container sooner than a replacement of the pod could run. The next check is in 1s.',
  ]);
});

test('the Event of a skipped pod or a failed deletion has the reason', () => {
  const refused = 'https://api refused (403): no. Grant it.';
  assert.deepEqual(notes([skipped, failed, { ...failed, reason: refused }]), [
    'Crash-looping, and skipped after service etcd recovered: it has no controller that would recreate it (barePods: keep).',
    'Not deleted after service etcd recovered: the window closed first.',
    `Not deleted after service etcd recovered: ${refused}`,
  ]);
});

test('a dry run never reports that something was deleted', () => {
  const events = eventsFor([opened, { ...deleted, how: 'dryRun' }, closed], { isDryRun: true });
  assert.deepEqual(
    events.map(({ reason, action, note }) => [reason, action, note.replace(/:.*dry run\)/, ':')]),
    [
      ['WindowOpened', 'Watch', 'Recovered:.'],
      [
        'PodDeletionDryRun',
        'DryRun',
        'Would be deleted (dry run), because service etcd recovered: container main was in CrashLoopBackOff after 4 restarts, with 1m0s of its back-off left.',
      ],
      ['WindowClosed', 'Stop', 'Window closed:, 1 skipped.'],
    ],
  );
});

test('domain events that are only useful in the log are not Events', () => {
  const quiet: WeederEvent[] = [
    { type: 'service.ready', namespace: 'shop', service: 'etcd' },
    { type: 'service.notReady', namespace: 'shop', service: 'etcd' },
    { type: 'pod.recovered', pod, ...window },
    { type: 'pod.logRead', pod, lines: ['s3cret'], ...window },
    { type: 'deletion.refused', pod, reason: 'no', failure: 'other', attempt: 1, retryIn: 200, ...window },
    { type: 'deletion.blocked', pod, ...window },
    { type: 'pod.removed', pod, ...window },
    { type: 'deletion.expired', pod, reason: 'tooLate', ...window },
    { type: 'actor.failed', actor: 'x', error: new Error('x') },
  ];
  assert.deepEqual(eventsFor(quiet), []);
});

test('the Event about a declaration is on the workload', () => {
  const problem = '"Db" names no service';
  assert.deepEqual(eventsFor([{ type: 'declaration.problem', workload: web, problem }]), [
    {
      regarding: web,
      type: 'Warning',
      reason: 'DeclarationProblem',
      action: 'Check',
      note: 'Declared dependency: "Db" names no service.',
    },
  ]);
});

test('the Event about an object without pods is on the object, and says what has recovered', () => {
  const [retried, dryRun, failed] = eventsFor([
    { type: 'creation.retried', isDryRun: false, sinceOpened: 0, ...refused },
    { type: 'creation.retried', isDryRun: true, sinceOpened: 0, ...refused },
    { type: 'creation.failed', reason: 'forbidden', ...refused },
  ]);
  assert.partialDeepStrictEqual(retried, {
    regarding: { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace: 'shop', name: 'web-1', uid: 'u' },
    note: 'Annotated so that its controller creates its missing pods at once, because service shop/etcd of webhook policy.example.com recovered, which had refused its pods.',
  });
  assert.match(String(dryRun?.note), /^Would be annotated \(dry run\) so that/);
  assert.equal(failed?.note, 'Not retried after service shop/etcd recovered: forbidden.');
  assert.deepEqual(eventsFor([{ type: 'creation.unneeded', ...refused }]), []);
});

test('the table lists exactly the reasons, kinds, types and actions of the Events', () => {
  const events = eventsFor([
    opened,
    closed,
    { ...closed, failed: ['shop/web-0'] },
    deleted,
    { ...deleted, how: 'evict' },
    { ...deleted, how: 'dryRun' },
    skipped,
    pending,
    failed,
    { type: 'declaration.problem', workload: { ...web, kind: 'workload' }, problem: 'no service is named' },
    { type: 'creation.retried', isDryRun: false, sinceOpened: 0, ...refused },
    { type: 'creation.retried', isDryRun: true, sinceOpened: 0, ...refused },
    { type: 'creation.failed', reason: 'no', ...refused },
  ]);
  const kindOf = (kind: string) => (kind === 'ReplicaSet' ? Object.keys(ownerApis).join(', ') : kind);
  const seen = events.map(
    ({ regarding, type, reason, action }) => `${reason} ${kindOf(regarding.kind)} ${type} ${action}`,
  );
  const listed = Object.entries(weederReasons).flatMap(([reason, { about, types, actions }]) =>
    types.flatMap((type) => actions.map((action) => `${reason} ${about} ${type} ${action}`)),
  );
  assert.deepEqual([...new Set(seen)].sort(), [...listed].sort());
});

test('the docs contain the table, and no other reason', () => {
  const docs = readFileSync(new URL('../../docs/reference/events.md', import.meta.url), 'utf8');
  const rows = docs.split('\n').filter((line) => /^\| `\w+` \|/.test(line));
  assert.deepEqual(
    rows,
    eventsTable()
      .split('\n')
      .filter((line) => line.startsWith('| `')),
  );
  assert.equal(
    rows.length,
    [weederReasons, restartReasons, observerReasons, processEventTable].flatMap(Object.keys).length,
  );
});
