import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DependantsOutput } from '../../machines/weeder/dependants.ts';
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
/** The time of every decision, by the clock of the input. */
const monotonic = 50_000;
const expired = (window = 1): EndpointEvent => ({ type: 'window.expired', window });
const readingBroke: InternalEvent = { type: 'xstate.error.actor.readySince', actorId: 'readySince' };

/** An opened window stands among the effects with its number and its duration. */
function decided(input: Partial<EndpointInput>, events: readonly (EndpointEvent | InternalEvent)[]) {
  const endpointInput = { ...twoMinutes, now: () => monotonic, ...input };
  const { state, effects, snapshot } = decide(endpoint, endpointInput, events);
  const { window, closesAt } = snapshot.context;
  const opened = `window ${window} for ${closesAt - monotonic}`;
  return { state, effects: effects.map((effect) => (effect === 'reportWindowOpened' ? opened : effect)) };
}

/** The effects of a window that opens with one podSelector, for this time. */
const opened = (window: number, duration: number) => [
  `window ${window} for ${duration}`,
  `spawn dependants-${window}-1`,
];

test('a recovery opens a window for the whole watchDuration', () => {
  assert.deepEqual(decided({}, [ready]), { state: 'ready.windowOpen.settled', effects: opened(1, 120_000) });
});

test('a repeated ready event opens no further window, with or without an open one', () => {
  assert.deepEqual(decided({}, [ready, ready]), { state: 'ready.windowOpen.settled', effects: [] });
  assert.deepEqual(decided({}, [ready, expired(), ready]), { state: 'ready.idle', effects: [] });
});

test('a notReady event opens no window and, without an open one, holds no deletions', () => {
  assert.deepEqual(decided({}, [notReady]), { state: 'notReady.idle', effects: [] });
  const over = [ready, expired(), notReady];
  assert.deepEqual(decided({}, over), { state: 'notReady.idle', effects: ['reportNotReady'] });
});

test('while the service is notReady again the window stays open and its deletions are held', () => {
  assert.deepEqual(decided({}, [ready, notReady]), {
    state: 'notReady.holding',
    effects: ['reportNotReady', 'send dependants-1-1 window.hold'],
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
      effects: [...opened(2, 120_000), 'send dependants-1-1 window.close'],
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
    assert.deepEqual(decided({ whileNotReady }, [...before, expired()]), { state: closed, effects: [] });
});

test('a new config applies to the open window, which is held or released if whileNotReady has changed', () => {
  const change = (whileNotReady: 'hold' | 'delete') => ({ type: 'config.changed', whileNotReady }) as const;
  const sent = (...types: readonly string[]) => types.map((type) => `send dependants-1-1 ${type}`);
  assert.deepEqual(decided({}, [ready, change('hold')]), {
    state: 'ready.windowOpen.settled',
    effects: sent('config.changed'),
  });
  assert.deepEqual(decided({}, [ready, notReady, change('hold')]), {
    state: 'notReady.holding',
    effects: sent('config.changed'),
  });
  assert.deepEqual(decided({}, [ready, notReady, change('delete')]), {
    state: 'notReady.windowOpen',
    effects: sent('config.changed', 'window.release'),
  });
  assert.deepEqual(decided({ whileNotReady: 'delete' }, [ready, notReady, change('hold')]), {
    state: 'notReady.holding',
    effects: sent('window.hold', 'config.changed'),
  });
  assert.deepEqual(decided({}, [ready, expired(), change('delete')]), { state: 'ready.idle', effects: [] });
});

test('a window has one child for each podSelector, and one for the pods that declare the service', () => {
  const input = { podSelectors: ['a', 'b'], isDeclared: true };
  const spawned = [1, 2, 3].map((place) => `spawn dependants-1-${place}`);
  assert.deepEqual(decided(input, [ready]).effects, ['window 1 for 120000', ...spawned]);
  assert.deepEqual(decided({ podSelectors: [], isDeclared: true }, [ready]).effects, opened(1, 120_000));
});

test('a new config spawns the children that the open window lacks, and closes those without a podSelector', () => {
  const change = { type: 'config.changed', podSelectors: ['b', 'c'] } as const;
  assert.deepEqual(decided({ podSelectors: ['a', 'b'] }, [ready, change]).effects, [
    'spawn dependants-1-3',
    'send dependants-1-1 window.close',
    'send dependants-1-2 config.changed',
    'send dependants-1-3 config.changed',
  ]);
  const held = decided({ podSelectors: ['a', 'b'] }, [ready, notReady, change]).effects;
  assert.deepEqual(held, ['send dependants-1-1 window.close', 'send dependants-1-2 config.changed']);
  const back = { type: 'config.changed', podSelectors: ['a', 'b'] } as const;
  assert.deepEqual(decided({ podSelectors: ['a', 'b'] }, [ready, change, back]).effects.slice(0, 1), [
    'spawn dependants-1-4',
  ]);
});

test('the end of an open window moves with the watchDuration of the config', () => {
  const change = (watchDuration: number): EndpointEvent => ({ type: 'config.changed', watchDuration });
  const closesAt = (events: readonly EndpointEvent[]) =>
    decide(endpoint, { ...twoMinutes, now: () => monotonic }, events).snapshot.context.closesAt - monotonic;
  assert.equal(closesAt([ready, change(minute)]), minute);
  assert.equal(closesAt([ready, change(5 * minute), change(3 * minute)]), 3 * minute);
  assert.equal(closesAt([foundReady, dated(now - minute), change(3 * minute)]), 2 * minute);
  assert.equal(closesAt([foundReady, dated(now - minute), change(30_000)]), 0, 'it is over');
});

const done = (id: string, output: Partial<DependantsOutput> = {}): InternalEvent => ({
  type: `xstate.done.actor.${id}`,
  actorId: id,
  output: { deleted: [], skipped: [], failed: [], ...output },
});

test('a window closes with its last child, and its results are the sums over the children', () => {
  const input = { podSelectors: ['a', 'b'] };
  const first = done('dependants-1-1', { deleted: ['x', 'y'], failed: ['shop/z'] });
  const second = done('dependants-1-2', { deleted: ['v'], skipped: ['w'], failed: ['shop/z'] });
  assert.deepEqual(decided(input, [ready, expired(), first]).effects, ['stop dependants-1-1']);
  const { windows } = decide(endpoint, input, [ready, expired(), first]).snapshot.context;
  assert.partialDeepStrictEqual(windows, [{ window: 1, deleted: ['x', 'y'], failed: ['shop/z'] }]);
  assert.deepEqual(decided(input, [ready, expired(), first, second]), {
    state: 'ready.idle',
    effects: ['stop dependants-1-2', 'reportWindowClosed'],
  });
});

test('a window whose children all fail is over', () => {
  const failed = {
    type: 'xstate.error.actor.dependants-1-1',
    actorId: 'dependants-1-1',
    error: new Error('broken'),
  } as const;
  assert.deepEqual(decided({}, [ready, failed]), {
    state: 'ready.idle',
    effects: ['reportDependantsFailed', 'stop dependants-1-1', 'reportWindowClosed'],
  });
});

test('a pod that several children skip is reported once in each window', () => {
  const skipped = (window: number): EndpointEvent => ({ type: 'pod.skipped', window, uid: 'x', protection: 'barePod' });
  assert.deepEqual(decided({}, [ready, skipped(1)]).effects, ['reportSkipped']);
  assert.deepEqual(decided({}, [ready, skipped(1), skipped(1)]).effects, []);
  assert.deepEqual(decided({}, [ready, skipped(1), notReady, ready, skipped(2)]).effects, ['reportSkipped']);
  assert.deepEqual(decided({}, [ready, skipped(7)]).effects, []);
});

test('a service that leaves the config closes its windows, and ends with its last child', () => {
  for (const type of ['service.removed', 'weeder.stopped'] as const) {
    assert.deepEqual(decided({}, [{ type }]), { state: 'closed', effects: [] });
    const removed: EndpointEvent[] = [ready, { type }];
    assert.deepEqual(decided({}, removed), { state: 'closing', effects: ['send dependants-1-1 window.close'] });
    const last = done('dependants-1-1');
    assert.deepEqual(decided({}, [...removed, last]), {
      state: 'closed',
      effects: ['stop dependants-1-1', 'reportWindowClosed'],
    });
    assert.equal(decided({}, [...removed, notReady, expired()]).state, 'closing');
    assert.deepEqual(decided({}, [...removed, ready]).effects.slice(0, 2), opened(2, 120_000), 'it is back');
    assert.equal(decided({}, [...removed, foundReady]).state, 'ready.resolvingRecoveryTime');
  }
});

test('for a service that is ready at the start onStart decides, and with recent the backing pods are read', () => {
  assert.deepEqual(decided({ onStart: 'always' }, [foundReady]), {
    state: 'ready.windowOpen.settled',
    effects: opened(1, 120_000),
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
  for (const [age, left] of [
    [0, 120_000],
    [30_000, 90_000],
    [119_999, 1],
    [-3_000, 120_000],
  ] as const) {
    assert.deepEqual(decided({}, [foundReady, dated(now - age)]), {
      state: 'ready.windowOpen.settled',
      effects: ['stop readySince', ...opened(1, left)],
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
  for (const event of [undated, readingBroke]) {
    assert.deepEqual(decided({}, [foundReady, event]), {
      state: 'ready.windowOpen.settled',
      effects: ['stop readySince', ...opened(1, 120_000)],
    });
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
  const idle = [ready, expired()];
  const seenUntil = now - minute;
  const after = (event: EndpointEvent | InternalEvent) => decided({}, [...idle, foundAfterGap(seenUntil), event]);
  assert.equal(decided({}, [...idle, foundAfterGap(seenUntil)]).state, 'ready.resolvingRecoveryTime');
  assert.deepEqual(after(dated(seenUntil + 20_000)), {
    state: 'ready.windowOpen.settled',
    effects: ['stop readySince', ...opened(2, 80_000), 'send dependants-1-1 window.close'],
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
    effects: ['stop readySince', ...opened(2, 80_000), 'send dependants-1-1 window.close'],
  });
  const continues = { state: 'ready.windowOpen.settled', effects: ['stop readySince'] };
  for (const event of [dated(seenUntil), undated, readingBroke]) {
    assert.deepEqual(decided({}, [...resolving, event]), continues);
  }
  assert.equal(decided({}, [...resolving, notReady]).state, 'notReady.holding');
});

test('the time of a recovery in a gap is resolved even if the open window has closed', () => {
  const seenUntil = now - minute;
  const over = [ready, foundAfterGap(seenUntil), expired()];
  assert.deepEqual(decided({}, over), {
    state: 'ready.resolvingRecoveryTime',
    effects: ['stop readySince', 'spawn readySince'],
  });
  assert.deepEqual(decided({}, [...over, dated(seenUntil + 20_000)]), {
    state: 'ready.windowOpen.settled',
    effects: ['stop readySince', ...opened(2, 80_000), 'send dependants-1-1 window.close'],
  });
  assert.equal(decided({}, [...over, dated(seenUntil)]).state, 'ready.idle');
  assert.equal(decided({}, [...over, undated]).state, 'ready.idle');
});

test('a further gap restarts the resolution of the recovery time, which then covers the first gap too', () => {
  const seenUntil = now - minute;
  const idle = [ready, expired()];
  for (const before of [[ready], idle]) {
    const twice = [...before, foundAfterGap(seenUntil), foundAfterGap(now)];
    assert.deepEqual(decided({}, twice).effects, ['stop readySince', 'spawn readySince']);
    assert.equal(decided({}, [...twice, dated(seenUntil + 1)]).state, 'ready.windowOpen.settled');
    assert.ok(decided({}, [...twice, dated(seenUntil + 1)]).effects.includes('window 2 for 60001'));
    assert.ok(!decided({}, [...twice, dated(seenUntil)]).effects.some((each) => each.startsWith('window 2')));
  }
  assert.equal(decided({}, [foundReady, foundAfterGap(now), undated]).state, 'ready.windowOpen.settled');
});

test('a service with previous windows continues their numbering', () => {
  const { effects } = decided({ lastWindow: 3 }, [ready]);
  assert.deepEqual(effects, opened(4, 120_000));
});

test('an old gap does not affect how the time of a later start is resolved', () => {
  const idle = [ready, expired(), foundAfterGap(now), undated];
  assert.equal(decided({}, [...idle, foundReady, undated]).state, 'ready.windowOpen.settled');
});

test('a dependant that runs again opens a window for the pods that declare the service, in idle only', () => {
  const again: EndpointEvent = { type: 'dependant.recovered', because: 'Deployment shop/web runs again' };
  const input = { podSelectors: ['a'], isDeclared: true };
  const declared = (window: number) => [`window ${window} for 120000`, `spawn dependants-${window}-1`];
  assert.deepEqual(decided(input, [again]), { state: 'notReady.assumedReady', effects: declared(1) });
  const idle = [ready, expired(), again];
  // The actors of the first window have not ended.
  const closed = [1, 2].map((place) => `send dependants-1-${place} window.close`);
  assert.deepEqual(decided(input, idle), {
    state: 'ready.windowOpen.settled',
    effects: [...declared(2), ...closed],
  });
  for (const before of [[ready], [ready, notReady], [again], [foundReady]])
    assert.deepEqual(decided(input, [...before, again]).effects, [], JSON.stringify(before));
  assert.deepEqual(decided({}, [again]), { state: 'notReady.idle', effects: [] });
});

test('the window for a service without EndpointSlices is held when they say that it is down, and ends by time', () => {
  const again: EndpointEvent = { type: 'dependant.recovered', because: 'Deployment shop/web runs again' };
  const input = { podSelectors: [], isDeclared: true };
  assert.equal(decided(input, [again, expired()]).state, 'notReady.idle');
  assert.deepEqual(decided(input, [again, notReady]), {
    state: 'notReady.holding',
    effects: ['reportNotReady', 'send dependants-1-1 window.hold'],
  });
  assert.equal(decided({ ...input, whileNotReady: 'delete' }, [again, notReady]).state, 'notReady.windowOpen');
  assert.deepEqual(decided(input, [again, ready]), {
    state: 'ready.windowOpen.settled',
    effects: ['window 2 for 120000', 'spawn dependants-2-1', 'send dependants-1-1 window.close'],
  });
});
