import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindOf, overviewGroup, overviewSummary } from '@weeder/live-page';
import { parseConfig } from '../../src/config/parse.ts';
import type { DidTypes } from '../../src/controller/contribution/contribution.ts';
import { contributions, controllerNames } from '../../src/controllers/controllers.ts';
import { createHistory, lastHour } from '../../src/ui/history.ts';
import { composeOverview } from '../../src/ui/views/overview.ts';
import { overviewOf } from '../support/page/overviewOf.ts';
import { down, shown, startTime } from '../support/page/servedPage.ts';

const nothing = { from: 0, byType: new Map<string, number>(), saved: 0 };
const seen = { now: 0, since: () => undefined, services: [] };

test('with nothing wrong, the overview says that everything is ready, and since when', async () => {
  await using page = await shown({ service: { onStart: 'never' } }, (before) => before.slice({ ready: [true] }));
  const { problems, waits, controllers } = await overviewOf(page.served.url);
  assert.deepEqual([problems, waits], [[], []]);
  const [weeder] = controllers;
  assert.deepEqual([weeder?.summary, weeder?.since], ['1 of 1 service ready', page.at.clock.now()]);
});

test('a service that is down is a problem with the number of dependants that crash-loop, and a window waits', async () => {
  await using page = await down();
  const { at, served } = page;
  at.slice({ ready: [false] });
  await at.clock.pass(35_000);
  const [outage] = (await overviewOf(served.url)).problems;
  assert.deepEqual([outage?.severity, outage?.view, outage?.total], ['down', 'services', 1]);
  const [line] = outage?.lines ?? [];
  assert.deepEqual(
    [line?.object, line?.words, line?.since],
    ['Service shoot-1/etcd-main-client', 'Down for 35s, 2 crash-looping', at.clock.now() - 35_000],
  );
  at.slice({ ready: [true] });
  await at.clock.pass(100);
  const after = await overviewOf(served.url);
  assert.deepEqual(after.problems, []);
  const [window] = after.waits.flatMap(({ lines }) => lines);
  assert.match(window?.words ?? '', /^Window open/);
  assert.deepEqual(window?.next, { words: 'closes', at: at.clock.now() + 119_900 });
  const done = new Map(after.did.counts.map(({ words, count }) => [words, count]));
  assert.deepEqual([done.get('windows opened'), done.get('pods deleted')], [1, 1]);
});

test('a deletion that is refused is a problem with its reason until it succeeds', async () => {
  let isAllowed = false;
  const refused = { type: 'delete.failed', failure: 'forbidden', reason: 'pods "kapi-0" is forbidden' } as const;
  await using page = await down({ answer: () => (isAllowed ? { type: 'delete.accepted' } : refused) });
  const { at, served } = page;
  at.slice({ ready: [false] });
  await at.clock.pass(1_000);
  at.slice({ ready: [true] });
  await at.clock.pass(1_000);
  const [failed] = (await overviewOf(served.url)).problems;
  assert.equal(failed?.severity, 'failed');
  const words = failed?.lines[0]?.words ?? '';
  assert.match(words, /^Window open, deletion refused, .*: Pod shoot-1\/kapi-0: pods "kapi-0" is forbidden$/);
  isAllowed = true;
  await at.clock.pass(60_000);
  assert.deepEqual((await overviewOf(served.url)).problems, []);
});

test('of many objects the overview has the worst forty, and says how many there are', () => {
  const ranks = Array.from({ length: 1_000 }, (_, rank) => rank).reverse();
  const group = overviewGroup(
    'workloads',
    ranks,
    (a, b) => a - b,
    (rank) => ({ object: `web-${rank}`, page: undefined, words: 'Blocked', since: undefined, next: undefined }),
  );
  assert.deepEqual([group.total, group.lines.length], [1_000, 40]);
  assert.deepEqual([group.lines[0]?.object, group.lines[39]?.object], ['web-0', 'web-39']);
});

test('the summary of a kind has the number of its objects, and of those with a problem if there are some', () => {
  const summaries = [
    [0, 0],
    [1, 0],
    [1_200, 3],
  ].map(([total = 0, bad = 0]) => overviewSummary('No workload is managed', 'workload', total, bad));
  assert.deepEqual(summaries, ['No workload is managed', '1 workload', '1,200 workloads, 3 of them with a problem']);
});

test('a controller is on, on standby, or off with an example that turns it on, and before the start there is none', async () => {
  const config = (text: string) => {
    const parsed = parseConfig(text, 'weeder.yaml');
    return parsed.ok ? parsed.value : assert.fail(parsed.error[0]?.message);
  };
  const running = { isDryRun: false, config: config('declaredDependencies: {}') };
  const source = { shown: () => undefined };
  const { controllers } = await composeOverview(source, seen, nothing, running);
  assert.deepEqual(
    controllers.map(({ name, state }) => [name, state]),
    [
      ['weeder', 'on'],
      ['restart control', 'off'],
      ['the application observer', 'off'],
    ],
  );
  const demo = await composeOverview({ ...source, has: () => false }, seen, nothing, running);
  assert.ok(demo.controllers.every(({ state }) => state === 'off'));
  const early = await composeOverview(undefined, seen, nothing, running);
  assert.deepEqual(early.controllers, [], 'nothing runs yet');
  const leadership = () => ({ state: 'standingBy', holder: 'other' }) as const;
  const standby = await composeOverview({ ...source, leadership }, seen, nothing, running);
  assert.deepEqual(
    standby.controllers.map(({ state }) => state),
    ['standby', 'off', 'off'],
  );
  const examples = controllers.map(({ example }) => config(example.join('\n')));
  assert.ok(controllerNames.every((of, index) => contributions[of].isConfigured(examples[index] ?? config(''))));
});

test('the back-off that the deleted pods had left is summed, also of a dry run', async () => {
  const finishedAt = new Date(startTime).toISOString();
  for (const isDryRun of [false, true]) {
    await using page = await shown({ isDryRun }, (before) => {
      before.slice({ ready: [false] });
      for (const name of ['a', 'b'])
        before.put({ name, containers: [{ restarts: 4, state: { terminated: { exitCode: 1, finishedAt } } }] });
    });
    const { at, served } = page;
    const saved = async () =>
      (await overviewOf(served.url)).did.counts.filter(({ words }) => words === 'back-off saved');
    await at.clock.pass(10_000);
    assert.deepEqual(await saved(), [{ words: 'back-off saved', kind: 'deletion', count: 0, isTime: true }]);
    at.slice({ ready: [true] });
    await at.clock.pass(500);
    // The back-off after the fourth restart is 80 s, of which 10 s had passed.
    assert.deepEqual(await saved(), [{ words: 'back-off saved', kind: 'deletion', count: 140_000, isTime: true }]);
  }
});

test('what was done is counted in the last hour, or since the first moment that the history still has', () => {
  const history = createHistory({ ...lastHour, max: 2 });
  const moment = (t: number) => ({
    t,
    what: 'pod.deleted',
    words: 'pod deleted',
    about: 'shop/db',
    detail: '',
    saved: t,
  });
  history.add(moment(1));
  assert.deepEqual(history.counts(0, 9), { from: 0, byType: new Map([['pod.deleted', 1]]), saved: 1 });
  history.add(moment(2));
  history.add(moment(3));
  assert.deepEqual(history.counts(0, 9), { from: 2, byType: new Map([['pod.deleted', 2]]), saved: 5 });
  assert.deepEqual(history.counts(3, 9), { from: 3, byType: new Map([['pod.deleted', 1]]), saved: 3 });
});

test('each number of what was done counts events of one kind, to which it leads in the timeline', async () => {
  const byType = new Map([
    ['pod.deleted', 3],
    ['deletion.refused', 1],
  ]);
  const { did } = await composeOverview(
    undefined,
    seen,
    { from: 0, byType, saved: 0 },
    { isDryRun: false, config: undefined },
  );
  const counted = did.counts.filter(({ count }) => count > 0).map(({ words, kind, count }) => [words, kind, count]);
  assert.deepEqual(counted, [
    ['pods deleted', 'deletion', 3],
    ['deletions refused or failed', 'problem', 1],
  ]);
  const all = controllerNames.flatMap((of) =>
    Object.values<DidTypes<string> | 'saved'>(contributions[of].overview.did),
  );
  for (const types of all) {
    if (types === 'saved') continue;
    const kinds = new Set(types.map(kindOf));
    assert.ok(kinds.size === 1 && !kinds.has('other'), types.join());
  }
});
