import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podReportOf } from '../../../src/weeder/report/podReport.ts';
import { podSentence } from '../../../src/weeder/report/podSentence.ts';
import { backOff, running } from '../../support/objects/objects.ts';
import { dependant, notReady, ready, siblingWorld } from '../../support/world/siblings.ts';
import { configFor, minute, type SimulationOptions } from '../../support/world/simulation.ts';
import { ends, type World, world } from '../../support/world/world.ts';

const up = { service: 'db', ready: [true] };
const down = { service: 'db', ready: [false] };

/** The service has no EndpointSlice, or one that is always ready. */
const outside: readonly ((at: World) => void)[] = [() => {}, (at) => at.slice(up)];

/** `web-1` and `api-1` crash-loop for a while, and `api-1` runs again. */
async function recover(at: World): Promise<void> {
  at.put(dependant('web-1'));
  at.put(dependant('api-1'));
  await at.clock.pass(minute);
  at.put(ready('api-1'));
}

const windows = (at: World) => at.eventsOf('window.opened').map(({ because }) => because);

test('a dependant that runs again and is Ready for 10 s opens a window for the others, with or without slices', async () => {
  for (const before of outside) {
    const at = siblingWorld({}, before);
    await recover(at);
    await at.clock.pass(9_999);
    assert.deepEqual([at.timeline(), windows(at)], [[], []]);
    await at.clock.pass(1);
    assert.deepEqual(at.timeline(), ['web-1@70000']);
    assert.deepEqual(windows(at), ['StatefulSet shoot-1/api runs again']);
    at.put(dependant('late-1'));
    await ends(at);
    assert.deepEqual(at.deletedNames(), ['web-1', 'late-1']);
    assert.partialDeepStrictEqual(at.eventsOf('window.closed'), [{ window: 1, deleted: 2 }]);
  }
});

test('without the setting, nothing is followed, and no window opens', async () => {
  for (const before of outside) {
    const at = world({ services: [], declared: { services: new Set(['shoot-1/db']), onStart: 'never' } }, before);
    await recover(at);
    assert.deepEqual([at.clock.pending, [...at.weeder.unsettled()]], [0, []]);
    await ends(at);
    assert.deepEqual(at.timeline(), []);
  }
});

test('a dependant that is not Ready, or not without a break, is no evidence', async () => {
  const breaks: readonly ((at: World) => void)[] = [
    (at) => at.put(notReady('api-1')),
    (at) => at.put(ready('api-1', { containers: [running(5)] })),
    (at) => at.put(dependant('api-1')),
  ];
  for (const breakOff of breaks) {
    const at = siblingWorld();
    await recover(at);
    for (let times = 0; times < 20; times += 1) {
      at.put(ready('api-1'));
      await at.clock.pass(9_000);
      breakOff(at);
      await at.clock.pass(900);
    }
    await ends(at);
    const lastBreak = minute + 19 * 9_900 + 9_000;
    assert.deepEqual(at.timeline(), breakOff === breaks[1] ? [`web-1@${lastBreak + 10_000}`] : []);
  }
  const gone = siblingWorld();
  await recover(gone);
  await gone.clock.pass(5_000);
  gone.remove('api-1');
  await ends(gone);
  assert.deepEqual(gone.timeline(), []);
});

test('without another dependant that crash-loops since before, no window opens', async () => {
  const cases: readonly ((at: World) => void)[] = [
    () => {},
    (at) => at.put(ready('web-1')),
    (at) => at.put(dependant('web-1', { isBare: true })),
    (at) => at.put(dependant('web-1', { annotations: { 'weeder.dev/ignore': 'true' } })),
    (at) => at.put(dependant('web-1', { labels: { 'weeder.dev/depends-on': 'other' } })),
  ];
  for (const put of cases) {
    const at = siblingWorld();
    put(at);
    at.put(dependant('api-1'));
    await at.clock.pass(minute);
    at.put(ready('api-1'));
    await at.clock.pass(1000);
    at.put(dependant('late-1'));
    await ends(at);
    assert.deepEqual([at.timeline(), windows(at)], [[], []]);
  }
});

test('a replica of the same workload is evidence, too, and a bare pod is evidence for others', async () => {
  const replicas = siblingWorld();
  replicas.put(dependant('web-1'));
  replicas.put(dependant('web-2'));
  await replicas.clock.pass(minute);
  replicas.put(ready('web-2'));
  await ends(replicas);
  assert.deepEqual(replicas.timeline(), ['web-1@70000']);
  const bare = siblingWorld();
  bare.put(dependant('web-1'));
  bare.put(dependant('bare-1', { isBare: true }));
  await bare.clock.pass(minute);
  bare.put(ready('bare-1', { isBare: true }));
  await ends(bare);
  assert.deepEqual(bare.timeline(), ['web-1@70000']);
});

test('a pod that has never crash-looped is no evidence, and running pods are never deleted', async () => {
  const at = siblingWorld();
  at.put(dependant('web-1'));
  at.put(notReady('api-1', { containers: [running(0)] }));
  await at.clock.pass(minute);
  at.put(ready('api-1', { containers: [running(0)] }));
  await ends(at);
  assert.deepEqual(at.timeline(), []);
});

test('a replacement of the same template continues for a deleted pod; another template or an older pod does not', async () => {
  const start = Date.UTC(2026, 0, 1);
  const created = start + minute + 1000;
  const replacements = [
    [{ created }, ['web-1@71000']],
    [{ created: start - minute }, []],
    [{ created, owner: { kind: 'ReplicaSet', uid: 'other' } }, []],
    [{ created, labels: { 'weeder.dev/depends-on': 'db', 'controller-revision-hash': 'new' } }, []],
  ] as const;
  for (const [options, expected] of replacements) {
    const at = siblingWorld({ startTime: start });
    at.put(dependant('web-1'));
    at.put(dependant('api-1'));
    await at.clock.pass(minute);
    const deletionTimestamp = new Date(start + minute).toISOString();
    at.put(dependant('api-1', { deletionTimestamp }));
    at.remove('api-1');
    await at.clock.pass(1000);
    at.put(ready('api-2', { containers: [running(0)], ...options }));
    await ends(at);
    assert.deepEqual(at.timeline(), expected, JSON.stringify(options));
  }
});

test('the EndpointSlices decide: a service that is down, or was meanwhile, gets no window of this kind', async () => {
  const states: readonly (readonly [before: (at: World) => void, meanwhile: (at: World) => void])[] = [
    [(at) => at.slice(down), () => {}],
    [(at) => at.slice({ ...down, ready: [] }), () => {}],
    [(at) => at.slice(up), (at) => at.slice(down)],
    [() => {}, (at) => at.slice(down)],
    [(at) => at.slice(up), (at) => at.slice(up, 'DELETED')],
  ];
  for (const [before, meanwhile] of states) {
    const at = siblingWorld({}, before);
    at.put(dependant('web-1'));
    at.put(dependant('api-1'));
    await at.clock.pass(minute);
    meanwhile(at);
    at.put(ready('api-1'));
    await ends(at);
    assert.deepEqual([at.timeline(), windows(at)], [[], []]);
  }
});

test('a service that recovers gets its own window, and none in addition for pods that crash-looped before', async () => {
  const at = siblingWorld({}, (early) => early.slice(up));
  at.put(dependant('api-1'));
  at.put(dependant('web-1', { annotations: {} }));
  await at.clock.pass(minute);
  at.slice(down);
  at.slice(up);
  await at.clock.pass(1000);
  assert.deepEqual(windows(at), [undefined]);
  assert.deepEqual(at.deletedNames().sort(), ['api-1', 'web-1']);
  at.put(dependant('other-1'));
  at.put(dependant('other-2'));
  await at.clock.pass(minute);
  at.put(ready('other-2'));
  await ends(at);
  assert.deepEqual(windows(at), [undefined], 'its window was still open');
});

test('while the window is open, its service decides: held when it is down, replaced when it recovers', async () => {
  for (const before of outside) {
    const at = siblingWorld({}, before);
    await recover(at);
    await at.clock.pass(10_000);
    at.slice(down);
    at.put(dependant('held-1'));
    await at.clock.pass(10_000);
    assert.deepEqual(at.deletedNames(), ['web-1']);
    assert.equal(at.eventsOf('service.notReady').length, 1);
    at.slice(up);
    await at.clock.pass(1000);
    assert.deepEqual(at.deletedNames(), ['web-1', 'held-1']);
    assert.deepEqual(windows(at), ['StatefulSet shoot-1/api runs again', undefined]);
    await ends(at);
  }
});

test('an open window is not extended by the pods that it has started, nor by others', async () => {
  const at = siblingWorld({
    declared: { siblingEvidence: { readyFor: 10_000, windowsPerHour: 2 } },
    // So that others crash-loop all the time.
    answer: () => ({ type: 'delete.failed', reason: 'not now' }),
  });
  await recover(at);
  await at.clock.pass(10_000);
  for (let index = 1; index < 8; index += 1) {
    at.put(dependant(`w${index}-1`));
    at.put(dependant(`v${index}-1`));
    await at.clock.pass(5_000);
    at.put(ready(`w${index}-1`));
    await at.clock.pass(10_000);
  }
  assert.equal(windows(at).length, 1);
  await at.clock.pass(2 * minute);
  assert.partialDeepStrictEqual(at.eventsOf('window.closed'), [{ window: 1 }]);
  for (const name of ['last-1', 'last-2']) at.put(dependant(name));
  at.put(ready('last-2'));
  await at.clock.pass(10_000);
  assert.equal(windows(at).length, 2, 'what happens in an open window does not count');
  await ends(at);
});

test('it deletes the pods that declare the service, in all namespaces, and not those that a podSelector selects', async () => {
  const services: SimulationOptions['services'] = [{ name: 'db', podSelectors: [{ matchLabels: { uses: 'db' } }] }];
  const at = siblingWorld({ services });
  at.put(dependant('selected-1', { labels: { uses: 'db' } }));
  at.put(dependant('foreign-1', { namespace: 'other' }));
  await recover(at);
  await at.clock.pass(10_000);
  assert.deepEqual(at.timeline().sort(), ['foreign-1@70000', 'web-1@70000']);
  await ends(at);
});

test('pods of other namespaces are no evidence', async () => {
  const at = siblingWorld();
  at.put(dependant('web-1'));
  at.put(dependant('foreign-1', { namespace: 'other' }));
  at.put(dependant('foreign-2', { namespace: 'other' }));
  await at.clock.pass(minute);
  at.put(ready('foreign-1', { namespace: 'other' }));
  await ends(at);
  assert.deepEqual(at.timeline(), []);
});

test('only the namespaces of the section count', async () => {
  const at = siblingWorld({ declared: { namespaces: ['other'] } });
  await recover(at);
  await ends(at);
  assert.deepEqual([at.timeline(), windows(at)], [[], []]);
});

test('a dry run deletes nothing, and a weeder that was stopped follows nothing', async () => {
  const dry = siblingWorld({ isDryRun: true });
  await recover(dry);
  await dry.clock.pass(10_000);
  assert.deepEqual([dry.timeline(), dry.eventsOf('pod.deleted').length], [[], 1]);
  await ends(dry);
  const stopped = siblingWorld();
  await recover(stopped);
  stopped.weeder.stop();
  stopped.put(dependant('web-1'));
  stopped.put(ready('web-1'));
  assert.equal(stopped.clock.pending, 0);
  await ends(stopped);
});

test('a config without the setting ends what is followed; one with it begins', async () => {
  const declared = { services: new Set(['shoot-1/db']) };
  const at = siblingWorld();
  await recover(at);
  at.weeder.configure(configFor({ services: [], declared }));
  await at.clock.pass(minute);
  assert.deepEqual(windows(at), []);
  at.weeder.configure(
    configFor({ services: [], declared: { ...declared, siblingEvidence: { readyFor: 5_000, windowsPerHour: 1 } } }),
  );
  at.put(dependant('web-1', { containers: [backOff(5)] }));
  at.put(dependant('api-1', { containers: [backOff(5)] }));
  at.put(ready('api-1', { containers: [running(6)] }));
  await at.clock.pass(5_000);
  assert.deepEqual(at.deletedNames(), ['web-1']);
  await ends(at);
});

test('a limit is reported once, until a window opens again', async () => {
  const at = siblingWorld({ declared: { siblingEvidence: { readyFor: 1_000, windowsPerHour: 1 } } });
  for (let round = 0; round < 14; round += 1) {
    for (const name of ['a', 'b']) at.put(dependant(`${name}${round}-1`));
    at.put(ready(`a${round}-1`));
    await at.clock.pass(5 * minute);
    at.remove(`b${round}-1`);
  }
  const because = 'StatefulSet shoot-1/a1 runs again';
  assert.partialDeepStrictEqual(at.eventsOf('window.withheld'), [{ service: 'db', because, limit: 1 }, { limit: 1 }]);
  assert.deepEqual([windows(at).length, at.eventsOf('window.withheld').length], [2, 2]);
  await ends(at);
});

test('a reader learns of the evidence, and of what a pod waits for', async () => {
  const at = siblingWorld();
  at.put(dependant('web-1'));
  at.put(dependant('api-1'));
  const sentence = () => podSentence({ ...at.weeder.pod('shoot-1', 'web-1'), report: undefined });
  assert.match(sentence(), /^Not deleted: no window is open, .* One opens if another dependant of it runs again\.$/);
  await at.clock.pass(minute);
  at.put(ready('api-1'));
  await at.clock.pass(10_000);
  const [deleted] = at.eventsOf('pod.deleted');
  const note = podReportOf(deleted ?? assert.fail('no pod was deleted'), at.clock.now()).sentence;
  assert.match(note, /^Deleted at \S+, because service db recovered \(StatefulSet shoot-1\/api runs again\): /);
  await ends(at);
});

test('the name of an owner, which the API does not check, is one printable line, and not that of a controller if it is too long', async () => {
  const at = siblingWorld();
  const owner = { kind: 'StatefulSet', uid: 'long', name: `a\u202e${'b'.repeat(240)}` };
  at.put(dependant('web-1'));
  at.put(dependant('api-1', { owner }));
  await at.clock.pass(minute);
  at.put(ready('api-1', { owner }));
  await at.clock.pass(10_000);
  const [because = ''] = windows(at);
  assert.ok(because.includes('bbb') && because.length < 350 && !because.includes('\u202e'), because);
  await ends(at);
});
