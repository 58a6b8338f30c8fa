import assert from 'node:assert/strict';
import { test } from 'node:test';
import { observerMoment } from '../../src/observer/contribution/observerMoment.ts';
import { restartMoment } from '../../src/restart/contribution/restartMoment.ts';
import { weederMoment } from '../../src/weeder/contribution/weederMoment.ts';
import { reported, withoutEvent } from '../support/objects/observerEvents.ts';
import { everyRestartEvent, restartEventOf } from '../support/objects/restartEvents.ts';

test('the timeline shows what changes a workload, and nothing that only the operator of weeder needs', () => {
  const shown = everyRestartEvent.flatMap((event) => restartMoment(event, 5) ?? []);
  assert.deepEqual(
    shown.map(({ what }) => what),
    [
      'workload.changed',
      'workload.blocked',
      'workload.restarted',
      'workload.rolledOut',
      'workload.skipped',
      'workload.stalled',
      'workload.reverted',
      'workload.refused',
      'pod.evicted',
    ],
  );
  assert.deepEqual(
    shown.find(({ what }) => what === 'workload.restarted'),
    {
      t: 5,
      what: 'workload.restarted',
      words: 'restarted',
      about: 'Deployment shop/web',
      page: { type: 'workload', id: 'Deployment shop/web' },
      detail: 'ConfigMap settings (keys a, b) and Secret vault/password',
    },
  );
});

test('the timeline shows which pods are evicted and what they waited for, and says so of a dry run', () => {
  const event = restartEventOf['pod.evicted'];
  const [evicted, dryRun] = [event, { ...event, isDryRun: true }].map((each) => restartMoment(each, 5));
  assert.deepEqual(
    [evicted?.words, evicted?.detail],
    ['waiting pod evicted', 'web-5d4f8-abcde, for ConfigMap settings'],
  );
  assert.deepEqual([dryRun?.words, dryRun?.isDryRun], ['waiting pod would be evicted', true]);
});

test('the timeline shows what happens to an application and to the objects that it applies', () => {
  const shown = [...reported, ...withoutEvent].flatMap((event) => observerMoment(event, 5)?.what ?? []);
  assert.deepEqual([...new Set(shown)].sort(), [
    'application.applied',
    'application.deleted',
    'application.invalid',
    'application.paused',
    'application.refused',
    'resource.applied',
    'resource.corrected',
    'resource.correctionBackOff',
    'resource.correctionPending',
    'resource.deleted',
    'resource.deletionDelayed',
    'resource.drifted',
    'resource.failed',
    'resource.missing',
    'resource.ownershipConflict',
    'resource.refused',
  ]);
});

test('a failed actor of the weeder is a moment with its error', () => {
  const event = { type: 'actor.failed', actor: 'endpoint shop/db', error: new Error('broke') } as const;
  const moment = { t: 5, what: 'actor.failed', words: 'actor failed', about: 'endpoint shop/db', detail: 'broke' };
  assert.deepEqual(weederMoment(event, 5), moment);
});

test('what a dry run would delete or restart says so, and what happened does not', () => {
  const restarts = everyRestartEvent.flatMap((event) => {
    if (event.type !== 'workload.restarted') return [];
    return [event, { ...event, how: 'dryRun' } as const].flatMap((each) => restartMoment(each, 5) ?? []);
  });
  assert.deepEqual(
    restarts.map(({ words, isDryRun }) => [words, isDryRun]),
    [
      ['restarted', undefined],
      ['would be restarted', true],
    ],
  );
});
