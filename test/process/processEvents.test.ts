import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventDraft } from '@weeder/kube-runtime/events';
import { codedError } from '../../src/base/errors.ts';
import { ownPod, processEventTable, recordProcessEvents } from '../../src/process/processEvents.ts';
import type { ProcessEvent } from '../../src/process/processLog.ts';

const env = { POD_NAME: 'weeder-1', POD_NAMESPACE: 'garden', POD_UID: 'uid-1' };

function eventsOf(...occurrences: readonly ProcessEvent[]): EventDraft[] {
  const events: EventDraft[] = [];
  const pod = ownPod(env) ?? assert.fail();
  const report = recordProcessEvents(pod, (event) => events.push(event));
  for (const event of occurrences) report(event);
  return events;
}

const rejected = {
  type: 'config.rejected',
  generation: 2,
  problem: codedError('CONFIG_INVALID', 'a.yaml:1:1 x.'),
} as const;
const applied = { type: 'config.applied', generation: 3, added: ['a', 'b'], changed: [], removed: ['c'] } as const;

test('a rejected config is a Warning on weeder’s own pod, with the error', () => {
  assert.deepEqual(eventsOf(rejected), [
    {
      regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'garden', name: 'weeder-1', uid: 'uid-1' },
      type: 'Warning',
      reason: 'ConfigRejected',
      action: 'Reject',
      note: 'The previous config stays in force. a.yaml:1:1 x.',
    },
  ]);
});

test('the Event of an applied config names what changes, or that nothing changes', () => {
  const same = { ...applied, added: [], removed: [] };
  const restart = { ...same, evidence: 'removed', restartControl: 'changed' } as const;
  const both = { ...applied, restartControl: 'added' } as const;
  assert.deepEqual(
    eventsOf(applied, same, restart, both).map(({ type, reason, note }) => `${type} ${reason} ${note}`),
    [
      'Normal ConfigApplied Applied: added: a, b; removed: c.',
      'Normal ConfigApplied Applied: no setting has changed.',
      'Normal ConfigApplied Applied: evidence removed; restartControl changed.',
      'Normal ConfigApplied Applied: added: a, b; removed: c; restartControl added.',
    ],
  );
});

test('changes of leadership make no Event here, and every Event is in the table', () => {
  assert.deepEqual(eventsOf({ type: 'leadership.released', lease: 'garden/weeder' }), []);
  const reasons = eventsOf(applied, rejected).map(({ reason, type, action }) => `${reason} ${type} ${action}`);
  const listed = Object.entries(processEventTable).map(
    ([reason, { types, actions }]) => `${reason} ${types} ${actions}`,
  );
  assert.deepEqual(reasons, listed);
});

test('outside of a pod, or without the pod’s name and namespace, there is no object for the Events', () => {
  assert.equal(ownPod({}), undefined);
  assert.equal(ownPod({ POD_NAME: 'weeder-1' }), undefined);
  assert.equal(ownPod({ POD_NAMESPACE: 'garden', POD_NAME: '' }), undefined);
  assert.equal(ownPod({ ...env, POD_UID: '' })?.uid, undefined);
});
