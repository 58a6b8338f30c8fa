import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { deviationsOf, outcomeTable } from '../../src/demo/observer/outcomeTable.ts';
import type { ChapterResult } from '../../src/demo/observer/playChapter.ts';
import type { Chapter } from '../../src/demo/observer/story.ts';
import { observerTimelineEntry } from '../../src/demo/observer/timeline.ts';
import { cli } from '../support/cli.ts';
import { onTerminal, withoutTerminal } from '../support/terminal.ts';

function resultOf(row: string, observed: Chapter['observed'], came: Partial<ChapterResult> = {}): ChapterResult {
  const play = async () => ({ weeder: '', took: undefined, isAsExpected: true });
  const chapter: Chapter = { title: `a user: ${row}`, row, observed, play };
  return { chapter, weeder: 'leaves it', took: undefined, isAsExpected: true, ...came };
}

test('the table shows each change, whether it is observed, the reaction of weeder, and its time', () => {
  const results = [
    resultOf('another image', 'yes', { weeder: 'restores it', took: 7.42 }),
    resultOf('scaled to 5', 'no'),
  ];
  assert.deepEqual(outcomeTable(results), [
    'what is done    observed   weeder         after',
    'another image   yes        restores it   7.4 ms',
    'scaled to 5     no         leaves it',
  ]);
  assert.deepEqual(deviationsOf(results), []);
  assert.deepEqual(deviationsOf([...results, resultOf('x', '', { isAsExpected: false })]), [
    '"a user: x" did not go as expected.',
  ]);
});

test('a drift is a diff, and lines that are too long are cut', () => {
  const application = { namespace: 'shop', name: 'nginx', uid: 'u' };
  const resource = { group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'nginx' };
  const about = { application, resource, apiVersion: 'apps/v1', uid: 'v' };
  const drifts = [
    { path: '.spec.a', desired: 1, found: undefined, type: 'missing' },
    { path: '.spec.b.this.is.long', desired: undefined, found: 'this is long, too', type: 'excess' },
  ] as const;
  const drifted = {
    type: 'resource.drifted',
    ...about,
    drifts,
    conflictingManager: 'bot/Update',
    isCorrected: true,
  } as const;
  const entry = observerTimelineEntry(drifted, 15);
  assert.equal(entry?.what, 'Deployment nginx has drifted, by bot:');
  assert.deepEqual(entry?.diff, [
    { type: 'path', text: '.spec.a' },
    { type: 'desired', text: '- 1' },
    { type: 'path', text: '….b.this.is.long'.slice(-15).replace(/^./, '…') },
    { type: 'found', text: '+ "this is lon…' },
  ]);
});

suite('weeder demo observer', { concurrency: 2 }, () => {
  test('plays the story with the expected outcome of each chapter, in plain lines of at most 80 characters', async () => {
    const { stdout, stderr, code } = await cli(['demo', 'observer', '--speed=4']);
    assert.equal(stderr, '');
    assert.equal(code, 0, stdout);
    assert.equal(stdout.includes('\u001B') || stdout.includes('\r'), false);
    const longest = stdout.split('\n').filter((line) => line.length > 80 || line !== line.trimEnd());
    assert.deepEqual(longest, []);
    const [, ...parts] = stdout.split(/^\d\. .*\n/m);
    const weeder = parts.map((part) => [...part.matchAll(/^t= *[\d.]+s {2}weeder {3}(.*)$/gm)].map(([, what]) => what));
    const [created, image, container, label, scaled, deleted, competition, version] = weeder;
    assert.deepEqual(created, ['creates Service nginx', 'creates Deployment nginx']);
    assert.equal(image?.[0], 'Deployment nginx has drifted, by kubectl-set:');
    assert.match(parts[1] ?? '', /image\n {20}- "nginx:1\.27"\n {20}\+ "nginx:latest"\n/);
    assert.match(image?.[1] ?? '', /^corrects it, /);
    assert.match(parts[2] ?? '', /containers\[name="miner"\]\n {20}\+ \{"name":"miner"/);
    assert.match(container?.[1] ?? '', /^corrects it, /);
    assert.deepEqual([label, scaled], [[], []]);
    assert.deepEqual(deleted, ['Service nginx is missing', 'recreates Service nginx']);
    const waits = competition?.filter((line) => line?.startsWith('waits ')) ?? [];
    assert.equal(waits.length, 2);
    assert.ok(waits.every((line) => line?.endsWith(' s, because label-bot repeats its change')));
    assert.equal(competition?.filter((line) => line?.startsWith('corrects it, ')).length, 3);
    assert.ok(version?.includes('updates Deployment nginx'));
    assert.match(stdout, /^ {2}another image +yes +restores it +[\d.]+ ms$/m);
    assert.match(stdout, /^ {2}a new version +applies it, 5 replicas stay$/m);
  });

  test('prints colours on a terminal, where the last line shows how many resources are in which state', {
    skip: withoutTerminal,
  }, async () => {
    const { code, text } = await onTerminal(['demo', 'observer', '--speed=4']);
    assert.equal(code, 0, text);
    const readable = text.replaceAll('\u001B', '^');
    assert.match(readable, /t= +\d+\.\ds {2}weeder {3}\^\[31mDeployment nginx has drifted, by kubectl-set:\^\[39m/);
    assert.match(readable, /\^\[32m- "nginx:1\.27"\^\[39m\r?\n/);
    assert.match(readable, /\^\[31m\+ "nginx:latest"\^\[39m\r?\n/);
    assert.match(stripVTControlCharacters(text), /\rt= +\d+\.\ds {2}[█░]{20} 2 inSync/);
    assert.doesNotMatch(readable, /inSync\^\[K\r?\n/);
  });
});
