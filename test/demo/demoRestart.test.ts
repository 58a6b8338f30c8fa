import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { type ChapterResult, deviationsOf } from '../../src/demo/restart/playChapter.ts';
import type { Rollout } from '../../src/demo/restart/rollout.ts';
import { rolloutTable } from '../../src/demo/restart/rolloutTable.ts';
import { playWithPlainWatcher } from '../../src/demo/restart/run.ts';
import type { Chapter } from '../../src/demo/restart/story.ts';
import type { RestartEvent } from '../../src/restart/references/events.ts';
import { cli } from '../support/cli.ts';
import { cpuTime } from '../support/cpuTime.ts';
import { onTerminal, withoutTerminal } from '../support/terminal.ts';

const chapter: Chapter = {
  title: 'a Secret changes',
  row: 'a Secret changes',
  needed: ['web', 'db'],
  expected: { type: 'workload.restarted', of: ['db', 'web'] },
  play: async () => {},
};

function rolloutsOf(...names: string[]): Rollout[] {
  return names.map((name) => ({ workload: { kind: 'Deployment', namespace: 'shop', name }, isRestart: true }));
}

function restarted(name: string): RestartEvent {
  const workload = { kind: 'Deployment', namespace: 'shop', name } as const;
  return { type: 'workload.restarted', workload, uid: name, sources: [], how: 'rollout', attempt: 1 };
}

function ended(...names: string[]): ChapterResult {
  return { chapter, rollouts: rolloutsOf(...names), stale: [], isSettled: true };
}

test('a chapter has the expected outcome if each needed rollout was made once, and weeder reported it', () => {
  const events = [restarted('web'), restarted('db')];
  assert.deepEqual(deviationsOf(ended('web', 'db'), events), []);
  assert.deepEqual(deviationsOf(ended('web', 'db', 'web'), events), [
    '"a Secret changes": rollouts of db, web, web instead of db, web.',
  ]);
  assert.deepEqual(deviationsOf(ended('web'), [restarted('web')]), [
    '"a Secret changes": rollouts of web instead of db, web.',
    '"a Secret changes": workload.restarted was reported for web instead of db, web.',
  ]);
  assert.deepEqual(deviationsOf({ ...ended('web', 'db'), stale: ['db-0'], isSettled: false }, events), [
    '"a Secret changes": old content in db-0.',
    '"a Secret changes": it did not settle.',
  ]);
});

test('the table shows the needed, the actual and the missed rollouts', () => {
  assert.deepEqual(rolloutTable([ended('web', 'db')], [ended('web', 'web', 'web')]), [
    'rollouts           needed   weeder   plain watcher',
    'a Secret changes        2        2     1 missed, 3',
    'total                   2        2               3',
  ]);
});

test('a plain watcher restarts for unused keys and for each change, and misses changes while it is stopped', async () => {
  const used = cpuTime();
  const chapters = await playWithPlainWatcher(1);
  const workloadNames = chapters.map(({ rollouts }) => rollouts.map(({ workload }) => workload.name).toSorted());
  assert.deepEqual(workloadNames, [
    [],
    ['payments', 'web'],
    ['payments', 'web'],
    Array.from({ length: 10 }, () => 'cart'),
    ['payments', 'payments', 'web'],
    [],
    [],
  ]);
  assert.deepEqual(chapters.map(({ stale }) => stale).at(-1), ['db-0', 'db-1']);
  assert.ok(chapters.every(({ isSettled }) => isSettled));
  assert.ok(used() < 10_000);
});

suite('weeder demo restart', { concurrency: 2 }, () => {
  test('plays the story with the expected outcome of each chapter, in plain lines of at most 80 characters', async () => {
    const { stdout, stderr, code } = await cli(['demo', 'restart', '--speed=20']);
    assert.equal(stderr, '');
    assert.equal(code, 0, stdout);
    assert.equal(stdout.includes('\u001B') || stdout.includes('\r'), false);
    assert.ok(
      stdout.split('\n').every((line) => line.length <= 80 && line === line.trimEnd()),
      stdout,
    );
    const [, ...parts] = stdout.split(/^\d\. .*\n/m);
    const weeder = parts.map((part) => [...part.matchAll(/^t= *[\d.]+s {2}weeder {3}(.*)$/gm)].map(([, what]) => what));
    const [adoption, used, unused, burst, release, missing, whileStopped] = weeder;
    assert.equal(adoption?.filter((line) => line?.startsWith('adopts ')).length, 5);
    assert.deepEqual(used?.slice(0, 2), [
      'observes the change: web uses greeting of shop-settings',
      'restarts Deployment web',
    ]);
    assert.deepEqual(unused, []);
    assert.deepEqual(
      burst?.filter((line) => line?.startsWith('restarts ')),
      ['restarts Deployment cart'],
    );
    assert.ok(!release?.some((line) => line?.startsWith('restarts ')));
    assert.ok(release?.includes('does not restart payments: its pods are newer'));
    assert.deepEqual(missing, ['cannot restart cart yet: ConfigMap shop/features is missing']);
    assert.deepEqual(whileStopped?.filter((line) => line?.startsWith('restarts ')).toSorted(), [
      'restarts CronJob report',
      'restarts StatefulSet db',
    ]);
    assert.match(stdout, /^ {2}ten changes within four seconds {2,}1 {2,}1 {2,}10$/m);
    assert.match(stdout, /^ {2}total {2,}5 {2,}5 {2,}17$/m);
  });

  test('prints colours on a terminal, where the last line shows how many workloads are in which state', {
    skip: withoutTerminal,
  }, async () => {
    const { code, text } = await onTerminal(['demo', 'restart', '--speed=20']);
    assert.equal(code, 0, text);
    const readable = text.replaceAll('\u001B', '^');
    assert.match(readable, /t= +\d+\.\ds {2}weeder {3}\^\[36mrestarts Deployment web\^\[39m/);
    assert.match(stripVTControlCharacters(text), /\rt= +\d+\.\ds {2}[█░]{20} 5 current/);
    assert.match(stripVTControlCharacters(text), /\rt= +\d+\.\ds {2}[█░]{20} weeder is down/);
    assert.doesNotMatch(readable, /current\^\[K\r?\n/);
  });
});
