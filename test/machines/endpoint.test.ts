import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EndpointEvent, type EndpointInput, endpoint } from '../../machines/weeder/endpoint.ts';
import { decide, type InternalEvent } from '../support/oracle/decisions.ts';

const minute = 60_000;
const now = Date.UTC(2026, 0, 1);
const twoMinutes = { watchDuration: 2 * minute };

const ready: EndpointEvent = { type: 'endpoint.ready' };
const notReady: EndpointEvent = { type: 'endpoint.notReady' };
const foundReady: EndpointEvent = { type: 'endpoint.foundReady' };
const undated: EndpointEvent = { type: 'recovery.timeUnknown' };
const dated = (readySince: number): EndpointEvent => ({ type: 'recovery.timeKnown', readySince, now });
const foundAfterGap = (seenUntil: number): EndpointEvent => ({ type: 'endpoint.foundReady', seenUntil });
const windowClosed: EndpointEvent = { type: 'window.closed' };
const readingBroke: InternalEvent = { type: 'xstate.error.actor.readySince', actorId: 'readySince' };

/** An opened window stands among the effects with its number and its duration. */
function decided(input: Partial<EndpointInput>, events: readonly (EndpointEvent | InternalEvent)[]) {
  const { state, effects, snapshot } = decide(endpoint, { ...twoMinutes, ...input }, events);
  const { window, remaining } = snapshot.context;
  const opened = `openWindow ${window} ${remaining}`;
  return { state, effects: effects.map((effect) => (effect === 'openWindow' ? opened : effect)) };
}

test('a recovery opens a window for the whole watchDuration', () => {
  assert.deepEqual(decided({}, [ready]), { state: 'ready.windowOpen.settled', effects: ['openWindow 1 120000'] });
});

test('a repeated ready event opens no further window, with or without an open one', () => {
  assert.deepEqual(decided({}, [ready, ready]), { state: 'ready.windowOpen.settled', effects: [] });
  assert.deepEqual(decided({}, [ready, windowClosed, ready]), { state: 'ready.idle', effects: [] });
});

test('a notReady event opens no window and, without an open one, holds no deletions', () => {
  assert.deepEqual(decided({}, [notReady]), { state: 'notReady.idle', effects: [] });
  const over = [ready, windowClosed, notReady];
  assert.deepEqual(decided({}, over), { state: 'notReady.idle', effects: ['reportNotReady'] });
});

test('while the service is notReady again the window stays open and its deletions are held', () => {
  assert.deepEqual(decided({}, [ready, notReady]), {
    state: 'notReady.holding',
    effects: ['reportNotReady', 'holdWindow'],
  });
});

test('whileNotReady: delete continues to delete', () => {
  const options = { whileNotReady: 'delete' } as const;
  assert.deepEqual(decided(options, [ready, notReady]), { state: 'notReady.windowOpen', effects: ['reportNotReady'] });
});

test('the next recovery opens the next window, which replaces the open one', () => {
  for (const whileNotReady of ['hold', 'delete'] as const) {
    assert.deepEqual(decided({ whileNotReady }, [ready, notReady, ready]), {
      state: 'ready.windowOpen.settled',
      effects: ['openWindow 2 120000'],
    });
  }
});

test('the service is without a window when the open one closes, in every state with a window', () => {
  const cases = [
    { before: [ready], whileNotReady: 'hold', closed: 'ready.idle' },
    { before: [ready, notReady], whileNotReady: 'hold', closed: 'notReady.idle' },
    { before: [ready, notReady], whileNotReady: 'delete', closed: 'notReady.idle' },
  ] as const;
  for (const { before, whileNotReady, closed } of cases)
    assert.deepEqual(decided({ whileNotReady }, [...before, windowClosed]), { state: closed, effects: [] });
});

test('a new config applies to the open window, which is held or released if whileNotReady has changed', () => {
  const change = (whileNotReady: 'hold' | 'delete') => ({ type: 'config.changed', whileNotReady }) as const;
  assert.deepEqual(decided({}, [ready, change('hold')]), {
    state: 'ready.windowOpen.settled',
    effects: ['renewWindow'],
  });
  assert.deepEqual(decided({}, [ready, notReady, change('delete')]), {
    state: 'notReady.windowOpen',
    effects: ['renewWindow'],
  });
  assert.deepEqual(decided({ whileNotReady: 'delete' }, [ready, notReady, change('hold')]), {
    state: 'notReady.holding',
    effects: ['holdWindow', 'renewWindow'],
  });
});

test('for a service that is ready at the start onStart decides, and with recent the backing pods are read', () => {
  const opened = ['openWindow 1 120000'];
  assert.deepEqual(decided({ onStart: 'always' }, [foundReady]), {
    state: 'ready.windowOpen.settled',
    effects: opened,
  });
  assert.deepEqual(decided({ onStart: 'never' }, [foundReady]), {
    state: 'ready.idle',
    effects: ['reportFoundReady'],
  });
  assert.deepEqual(decided({}, [foundReady]), { state: 'ready.resolvingRecoveryTime', effects: ['spawn readySince'] });
});

test('onStart: never does not prevent a window for an observed recovery', () => {
  assert.equal(decided({ onStart: 'never' }, [foundReady, notReady, ready]).state, 'ready.windowOpen.settled');
});

test('a service that has been ready for less than watchDuration gets a window for the remaining time', () => {
  const opened = (duration: number) => ['stop readySince', `openWindow 1 ${duration}`];
  for (const [age, left] of [
    [0, 120_000],
    [30_000, 90_000],
    [119_999, 1],
    [-3_000, 120_000],
  ] as const) {
    assert.deepEqual(decided({}, [foundReady, dated(now - age)]), {
      state: 'ready.windowOpen.settled',
      effects: opened(left),
    });
  }
});

test('a service that has been ready for watchDuration or longer gets no window', () => {
  for (const age of [120_000, 600_000]) {
    assert.deepEqual(decided({}, [foundReady, dated(now - age)]), {
      state: 'ready.idle',
      effects: ['stop readySince', 'reportFoundReady'],
    });
  }
});

test('a service that has been ready since an unknown time gets a full window, also if reading the time fails', () => {
  const opened = ['stop readySince', 'openWindow 1 120000'];
  for (const event of [undated, readingBroke]) {
    assert.deepEqual(decided({}, [foundReady, event]), { state: 'ready.windowOpen.settled', effects: opened });
  }
});

test('a service that becomes notReady before its backing pods were read gets no window', () => {
  assert.deepEqual(decided({}, [foundReady, notReady]), {
    state: 'notReady.idle',
    effects: ['stop readySince', 'reportNotReady'],
  });
  assert.deepEqual(decided({}, [foundReady, notReady, dated(now)]), { state: 'notReady.idle', effects: [] });
});

test('after a gap a window opens only for a recovery during the gap', () => {
  const idle = [ready, windowClosed];
  const seenUntil = now - minute;
  const after = (event: EndpointEvent | InternalEvent) => decided({}, [...idle, foundAfterGap(seenUntil), event]);
  assert.equal(decided({}, [...idle, foundAfterGap(seenUntil)]).state, 'ready.resolvingRecoveryTime');
  assert.deepEqual(after(dated(seenUntil + 20_000)), {
    state: 'ready.windowOpen.settled',
    effects: ['stop readySince', 'openWindow 2 80000'],
  });
  const none = { state: 'ready.idle', effects: ['stop readySince', 'reportFoundReady'] };
  assert.deepEqual(after(dated(seenUntil)), none);
  assert.deepEqual(after(dated(seenUntil - 1)), none);
  assert.deepEqual(after(undated), none);
  assert.deepEqual(after(readingBroke), none);
});

test('a recovery in a gap replaces the open window; without one the window continues', () => {
  const seenUntil = now - minute;
  const resolving = [ready, foundAfterGap(seenUntil)];
  assert.deepEqual(decided({}, resolving), {
    state: 'ready.windowOpen.resolvingRecoveryTime',
    effects: ['spawn readySince'],
  });
  assert.deepEqual(decided({}, [...resolving, dated(seenUntil + 20_000)]), {
    state: 'ready.windowOpen.settled',
    effects: ['stop readySince', 'openWindow 2 80000'],
  });
  const continues = { state: 'ready.windowOpen.settled', effects: ['stop readySince'] };
  for (const event of [dated(seenUntil), undated, readingBroke]) {
    assert.deepEqual(decided({}, [...resolving, event]), continues);
  }
  assert.equal(decided({}, [...resolving, notReady]).state, 'notReady.holding');
});

test('the time of a recovery in a gap is resolved even if the open window has closed', () => {
  const seenUntil = now - minute;
  const over = [ready, foundAfterGap(seenUntil), windowClosed];
  assert.deepEqual(decided({}, over), {
    state: 'ready.resolvingRecoveryTime',
    effects: ['stop readySince', 'spawn readySince'],
  });
  assert.deepEqual(decided({}, [...over, dated(seenUntil + 20_000)]), {
    state: 'ready.windowOpen.settled',
    effects: ['stop readySince', 'openWindow 2 80000'],
  });
  assert.equal(decided({}, [...over, dated(seenUntil)]).state, 'ready.idle');
  assert.equal(decided({}, [...over, undated]).state, 'ready.idle');
});

test('a further gap restarts the resolution of the recovery time, which then covers the first gap too', () => {
  const seenUntil = now - minute;
  const idle = [ready, windowClosed];
  for (const before of [[ready], idle]) {
    const twice = [...before, foundAfterGap(seenUntil), foundAfterGap(now)];
    assert.deepEqual(decided({}, twice).effects, ['stop readySince', 'spawn readySince']);
    assert.equal(decided({}, [...twice, dated(seenUntil + 1)]).state, 'ready.windowOpen.settled');
    assert.ok(decided({}, [...twice, dated(seenUntil + 1)]).effects.includes('openWindow 2 60001'));
    assert.ok(!decided({}, [...twice, dated(seenUntil)]).effects.some((each) => each.startsWith('openWindow')));
  }
  assert.equal(decided({}, [foundReady, foundAfterGap(now), undated]).state, 'ready.windowOpen.settled');
});

test('a service with previous windows continues their numbering', () => {
  const { effects } = decided({ lastWindow: 3 }, [ready]);
  assert.deepEqual(effects, ['openWindow 4 120000']);
});

test('an old gap does not affect how the time of a later start is resolved', () => {
  const idle = [ready, windowClosed, foundAfterGap(now), undated];
  assert.equal(decided({}, [...idle, foundReady, undated]).state, 'ready.windowOpen.settled');
});
