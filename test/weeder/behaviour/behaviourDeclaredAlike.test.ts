import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertMeets } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import type { WeederEvent } from '../../../src/weeder/deletions/weederEvents.ts';
import { backOff, running, terminated } from '../../support/objects/objects.ts';
import { type World, world } from '../../support/world/world.ts';

const step = fc.oneof(
  fc.record({ type: fc.constant('slice' as const), ready: fc.boolean() }),
  fc.record({
    type: fc.constant('pod' as const),
    number: fc.nat(3),
    state: fc.constantFrom('crashing', 'unreported', 'running', 'bare'),
    isSelected: fc.boolean(),
    restarts: fc.integer({ min: 1, max: 6 }),
  }),
  fc.record({ type: fc.constant('remove' as const), number: fc.nat(3) }),
  fc.record({ type: fc.constant('relist' as const) }),
  fc.record({ type: fc.constant('pause' as const), ms: fc.constantFrom(1, 900, 2_500, 20_000, 70_000) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

async function play(at: World, one: Step): Promise<void> {
  if (one.type === 'slice') at.slice({ service: 'db', ready: [one.ready] });
  else if (one.type === 'remove') at.remove(`web-${one.number}`);
  else if (one.type === 'relist') at.relistPods();
  else if (one.type === 'pod') {
    const containers = {
      crashing: [backOff(one.restarts)],
      bare: [backOff(one.restarts)],
      unreported: [terminated(at.clock.now(), one.restarts)],
      running: [running(one.restarts)],
    };
    at.put({
      name: `web-${one.number}`,
      labels: one.isSelected ? { uses: 'db', 'weeder.dev/depends-on': 'db' } : { app: 'other' },
      containers: containers[one.state],
      isBare: one.state === 'bare',
    });
  }
  await at.clock.pass(one.type === 'pause' ? one.ms : 0);
}

function wordsOf(event: WeederEvent): string {
  const about = 'service' in event ? `${event.namespace}/${event.service}` : '';
  const pod = 'pod' in event ? event.pod.name : '';
  const reason = 'reason' in event ? event.reason : '';
  return [event.type, about, pod, reason].join(' ');
}

test('a declared service and its dependants behave exactly like those of the config', () =>
  assertMeets({ deletions: 20 }, 300, (met) =>
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const configured = world({ service: { name: 'db', podSelectors: [{ matchLabels: { uses: 'db' } }] } });
      const declared = world({ services: [], declared: { services: new Set(['shoot-1/db']) } });
      for (const at of [configured, declared]) {
        for (const one of steps) await play(at, one);
        await at.clock.pass(20 * 60_000);
      }
      assert.deepEqual(declared.timeline(), configured.timeline());
      assert.deepEqual(declared.events.map(wordsOf), configured.events.map(wordsOf));
      met.deletions += declared.deletions.length;
    }),
  ));
