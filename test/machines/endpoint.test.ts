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
const childDone = (id: string): InternalEvent => ({ type: `xstate.done.actor.${id}`, actorId: id });
const childBroke = (id: string): InternalEvent => ({ type: `xstate.error.actor.${id}`, actorId: id });

function decided(input: Partial<EndpointInput>, events: readonly (EndpointEvent | InternalEvent)[]) {
  const { state, effects } = decide(endpoint, { ...twoMinutes, ...input }, events);
  return { state, effects };
}

test('a recovery opens a window with one child per podSelector, for the whole watchDuration', () => {
  assert.deepEqual(decided({ selectors: 2 }, [ready]), {
    state: 'ready.windowOpen.settled',
    effects: ['reportWindowOpened', 'spawn dependants-1-0 120000', 'spawn dependants-1-1 120000'],
  });
});

test('a repeated ready event opens no further window, with or without an open one', () => {
  assert.deepEqual(decided({}, [ready, ready]), { state: 'ready.windowOpen.settled', effects: [] });
  assert.deepEqual(decided({}, [ready, childDone('dependants-1-0'), ready]), { state: 'ready.idle', effects: [] });
});

test('a notReady event opens no window and, without an open one, holds no deletions', () => {
  assert.deepEqual(decided({}, [notReady]), { state: 'notReady.idle', effects: [] });
  const over = [ready, childDone('dependants-1-0'), notReady];
  assert.deepEqual(decided({}, over), { state: 'notReady.idle', effects: ['reportNotReady'] });
});

test('while the service is notReady again the window stays open and its deletions are held', () => {
  assert.deepEqual(decided({ selectors: 2 }, [ready, notReady]), {
    state: 'notReady.holding',
    effects: ['reportNotReady', 'send dependants-1-0 window.hold', 'send dependants-1-1 window.hold'],
  });
});

test('whileNotReady: delete continues to delete', () => {
  const options = { whileNotReady: 'delete' } as const;
  assert.deepEqual(decided(options, [ready, notReady]), { state: 'notReady.windowOpen', effects: ['reportNotReady'] });
});

test('the next recovery replaces the open window: the new children start before the old ones stop', () => {
  for (const whileNotReady of ['hold', 'delete'] as const) {
    assert.deepEqual(decided({ whileNotReady }, [ready, notReady, ready]), {
      state: 'ready.windowOpen.settled',
      effects: ['reportWindowOpened', 'spawn dependants-2-0 120000', 'stop dependants-1-0'],
    });
  }
});

test('the window closes when its last child is done, in every state with a window, and not before', () => {
  const first = childDone('dependants-1-0');
  const last = childDone('dependants-1-1');
  const cases = [
    { before: [ready], whileNotReady: 'hold', open: 'ready.windowOpen.settled', closed: 'ready.idle' },
    { before: [ready, notReady], whileNotReady: 'hold', open: 'notReady.holding', closed: 'notReady.idle' },
    { before: [ready, notReady], whileNotReady: 'delete', open: 'notReady.windowOpen', closed: 'notReady.idle' },
  ] as const;
  for (const { before, whileNotReady, open, closed } of cases) {
    const options = { selectors: 2, whileNotReady };
    assert.deepEqual(decided(options, [...before, first]), { state: open, effects: ['stop dependants-1-0'] });
    assert.deepEqual(decided(options, [...before, first, last]), {
      state: closed,
      effects: ['stop dependants-1-1', 'reportWindowClosed'],
    });
  }
});

test('a failed child is reported and reaped, and the others continue', () => {
  assert.deepEqual(decided({ selectors: 2 }, [ready, childBroke('dependants-1-0')]), {
    state: 'ready.windowOpen.settled',
    effects: ['reportChildFailed', 'stop dependants-1-0'],
  });
});

test('for a service that is ready at the start onStart decides, and with recent the backing pods are read', () => {
  const opened = ['reportWindowOpened', 'spawn dependants-1-0 120000'];
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
  const opened = (duration: number) => ['stop readySince', 'reportWindowOpened', `spawn dependants-1-0 ${duration}`];
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
  const opened = ['stop readySince', 'reportWindowOpened', 'spawn dependants-1-0 120000'];
  const broke = { type: 'xstate.error.actor.readySince', actorId: 'readySince', error: 'x' } as const;
  for (const event of [undated, broke]) {
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
  const idle = [ready, childDone('dependants-1-0')];
  const seenUntil = now - minute;
  const after = (event: EndpointEvent) => decided({}, [...idle, foundAfterGap(seenUntil), event]);
  assert.equal(decided({}, [...idle, foundAfterGap(seenUntil)]).state, 'ready.resolvingRecoveryTime');
  assert.deepEqual(after(dated(seenUntil + 20_000)), {
    state: 'ready.windowOpen.settled',
    effects: ['stop readySince', 'reportWindowOpened', 'spawn dependants-2-0 80000'],
  });
  const none = { state: 'ready.idle', effects: ['stop readySince', 'reportFoundReady'] };
  assert.deepEqual(after(dated(seenUntil)), none);
  assert.deepEqual(after(dated(seenUntil - 1)), none);
  assert.deepEqual(after(undated), none);
  assert.deepEqual(after({ type: 'xstate.error.actor.readySince', actorId: 'readySince', error: 'x' }), none);
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
    effects: ['stop readySince', 'reportWindowOpened', 'spawn dependants-2-0 80000', 'stop dependants-1-0'],
  });
  const continues = { state: 'ready.windowOpen.settled', effects: ['stop readySince'] };
  const broke = { type: 'xstate.error.actor.readySince', actorId: 'readySince', error: 'x' } as const;
  for (const event of [dated(seenUntil), undated, broke]) {
    assert.deepEqual(decided({}, [...resolving, event]), continues);
  }
  assert.equal(decided({}, [...resolving, notReady]).state, 'notReady.holding');
});

test('the time of a recovery in a gap is resolved even if the open window has closed', () => {
  const seenUntil = now - minute;
  const over = [ready, foundAfterGap(seenUntil), childDone('dependants-1-0')];
  assert.deepEqual(decided({}, over), {
    state: 'ready.resolvingRecoveryTime',
    effects: ['stop dependants-1-0', 'stop readySince', 'reportWindowClosed', 'spawn readySince'],
  });
  assert.deepEqual(decided({}, [...over, dated(seenUntil + 20_000)]), {
    state: 'ready.windowOpen.settled',
    effects: ['stop readySince', 'reportWindowOpened', 'spawn dependants-2-0 80000'],
  });
  assert.equal(decided({}, [...over, dated(seenUntil)]).state, 'ready.idle');
  assert.equal(decided({}, [...over, undated]).state, 'ready.idle');
});

test('a further gap restarts the resolution of the recovery time, which then covers the first gap too', () => {
  const seenUntil = now - minute;
  const idle = [ready, childDone('dependants-1-0')];
  for (const before of [[ready], idle]) {
    const twice = [...before, foundAfterGap(seenUntil), foundAfterGap(now)];
    assert.deepEqual(decided({}, twice).effects, ['stop readySince', 'spawn readySince']);
    assert.equal(decided({}, [...twice, dated(seenUntil + 1)]).state, 'ready.windowOpen.settled');
    assert.ok(decided({}, [...twice, dated(seenUntil + 1)]).effects.includes('reportWindowOpened'));
    assert.ok(!decided({}, [...twice, dated(seenUntil)]).effects.includes('reportWindowOpened'));
  }
  assert.equal(decided({}, [foundReady, foundAfterGap(now), undated]).state, 'ready.windowOpen.settled');
});

test('a service with previous windows continues their numbering', () => {
  const { effects } = decided({ lastWindow: 3 }, [ready]);
  assert.deepEqual(effects, ['reportWindowOpened', 'spawn dependants-4-0 120000']);
});

test('an old gap does not affect how the time of a later start is resolved', () => {
  const idle = [ready, childDone('dependants-1-0'), foundAfterGap(now), undated];
  assert.equal(decided({}, [...idle, foundReady, undated]).state, 'ready.windowOpen.settled');
});
