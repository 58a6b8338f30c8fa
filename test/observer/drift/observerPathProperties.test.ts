import { test } from 'node:test';
import { assertMeets } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { playObserver, someObserverStory } from '../../support/story/observerStory.ts';

test('whatever happens: observed fields end up as applied, unobserved ones are never written, and other objects are not touched', () =>
  assertMeets({ corrections: 60 }, 60, (met) =>
    fc.asyncProperty(fc.nat(2 ** 30), someObserverStory, async (dice, story) => {
      met.corrections += await playObserver(dice, story);
    }),
  ));
