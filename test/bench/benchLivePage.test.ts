import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@weeder/kube-runtime/testing';
import { livePageGoals, livePageReport } from '../../bench/livePage/livePageReport.ts';
import { LivePageCase } from '../../bench/livePage/livePageResults.ts';
import { livePageScene } from '../../bench/livePage/livePageScene.ts';
import { isMet } from '../../bench/support/goals.ts';
import { startEmbeddedWeeder } from '../support/world/embedded.ts';

const opened = { browser: { cpu: 4, memory: 300 }, received: 7_000, elements: 1_200 };
const frames = { perSecond: 60, longest: 17, cpu: 3 };
const weeder = { cpu: 1, memory: 100 };
const half = { deletions: 200, p50: 10, p99: 20, max: 40, weeder };
const measured: LivePageCase = {
  services: 1_000,
  actors: 5_000,
  pages: 10,
  changing: 200,
  seconds: 60,
  loads: [{ view: 'overview', firstRows: 400, bytes: 500_000, elements: 600 }],
  atRest: { weeder, withPage: { ...opened, weeder: { cpu: 3, memory: 110 } } },
  rounds: [21, 20, 30].map((p99) => ({ without: half, withPages: { ...half, p99, pages: opened } })),
  scroll: { services: 10_000, elements: 1_500, atRest: frames, scrolling: frames },
};

function missed(changes: Partial<LivePageCase>): string[] {
  return livePageGoals({ ...measured, ...changes }).flatMap((goal) => (isMet(goal) ? [] : [goal.what]));
}

test('each goal of the live page is met up to its limit, and missed beyond it', () => {
  assert.deepEqual(missed({}), [], 'the round in the middle counts');
  const rounds = measured.rounds.map((round) => ({ ...round, withPages: { ...round.withPages, p99: 22 } }));
  const scrolling = { ...frames, perSecond: 55, cpu: 17 };
  const scroll = { ...measured.scroll, elements: 1_501, scrolling };
  assert.deepEqual(missed({ rounds, scroll }), [
    'p99 of deletions with 10 pages, relative to without',
    'CPU of a frame while 10000 services scroll',
    'time of a frame while 10000 services scroll, relative to at rest',
    'elements while 10000 services scroll',
  ]);
});

test('the report compares pages with none, and the results can be read again', () => {
  const lines = livePageReport([measured]).split('\n');
  const cells = (words: string) =>
    lines.filter((line) => line.includes(words)).map((line) => line.split('|').map((cell) => cell.trim()));
  assert.deepEqual(
    cells('200 services change in 60 s').map(([, , pages, cpu, , browser]) => [pages, cpu, browser]),
    [
      ['0', '1.00', ''],
      ['10', '1.00', '4.00'],
    ],
  );
  assert.deepEqual(cells('| p99 ')[0]?.slice(3, 7), ['20.0', '21.0', '1.05', '1.05, 1.00, 1.50']);
  assert.deepEqual(LivePageCase.parse(JSON.parse(JSON.stringify(measured))), measured);
});

test('the services of its scene have as many actors as they state, and each that changes has a pod deleted', async () => {
  await using scene = await livePageScene(30);
  await using running = startEmbeddedWeeder(scene.cluster, JSON.stringify(scene.config));
  const { manager } = running;
  await until('weeder runs', () => manager.state() === 'running');
  scene.recoverAll();
  await until('all windows are open', () => {
    const { endpoint = 0, dependants = 0 } = manager.actorCounts();
    return endpoint + dependants === scene.actors;
  });
  const latencies = await scene.change(10, 100);
  assert.equal(latencies.length, 10);
  assert.ok(
    latencies.every((latency) => latency > 0),
    'after its own service has recovered',
  );
});
