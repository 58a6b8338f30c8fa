import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codedError } from '../../src/base/errors.ts';
import type { EventDraft } from '../../src/kube/events/event.ts';
import { ownPod, processEventTable, tellProcess } from '../../src/process/processEvents.ts';
import type { ProcessEvent } from '../../src/process/processLog.ts';

const env = { POD_NAME: 'weeder-1', POD_NAMESPACE: 'garden', POD_UID: 'uid-1' };

function told(...facts: readonly ProcessEvent[]): EventDraft[] {
  const events: EventDraft[] = [];
  const pod = ownPod(env) ?? assert.fail();
  const tell = tellProcess(pod, (event) => events.push(event));
  for (const fact of facts) tell(fact);
  return events;
}

const rejected = {
  type: 'config.rejected',
  generation: 2,
  problem: codedError('CONFIG_INVALID', 'a.yaml:1:1 x.'),
} as const;
const applied = { type: 'config.applied', generation: 3, added: ['a', 'b'], changed: [], removed: ['c'] } as const;

test('a config that is rejected is a Warning on weeder’s own pod, and says what is wrong', () => {
  assert.deepEqual(told(rejected), [
    {
      regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'garden', name: 'weeder-1', uid: 'uid-1' },
      type: 'Warning',
      reason: 'ConfigRejected',
      action: 'Reject',
      note: 'The config from before stays in force. a.yaml:1:1 x.',
    },
  ]);
});

test('one that is applied names what it changes, or that it changes nothing', () => {
  const same = { ...applied, added: [], removed: [] };
  const restart = { ...same, restartControl: 'changed' } as const;
  const both = { ...applied, restartControl: 'added' } as const;
  assert.deepEqual(
    told(applied, same, restart, both).map(({ type, reason, note }) => `${type} ${reason} ${note}`),
    [
      'Normal ConfigApplied Applied: added: a, b; removed: c.',
      'Normal ConfigApplied Applied: it says the same as before.',
      'Normal ConfigApplied Applied: restartControl changed.',
      'Normal ConfigApplied Applied: added: a, b; removed: c; restartControl added.',
    ],
  );
});

test('of leadership nothing is told here, and what is told stands in the table', () => {
  assert.deepEqual(told({ type: 'leadership.released', lease: 'garden/weeder' }), []);
  const reasons = told(applied, rejected).map(({ reason, type, action }) => `${reason} ${type} ${action}`);
  const listed = Object.entries(processEventTable).map(
    ([reason, { types, actions }]) => `${reason} ${types} ${actions}`,
  );
  assert.deepEqual(reasons, listed);
});

test('outside of a pod, or of one that is not known by name and namespace, there is nothing to tell it on', () => {
  assert.equal(ownPod({}), undefined);
  assert.equal(ownPod({ POD_NAME: 'weeder-1' }), undefined);
  assert.equal(ownPod({ POD_NAMESPACE: 'garden', POD_NAME: '' }), undefined);
  assert.equal(ownPod({ ...env, POD_UID: '' })?.uid, undefined);
});
