import { test } from 'node:test';
import { assertMeets } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { play, someLimits, someStory } from '../../support/story/restartStory.ts';

test('whatever happens: the limits hold, every change is eventually rolled out, once per quiet period, and nothing else restarts', () =>
  assertMeets({ restarts: 100 }, 20, (met) =>
    fc.asyncProperty(someLimits, someStory, async (limits, story) => {
      met.restarts += await play(limits, story);
    }),
  ));
