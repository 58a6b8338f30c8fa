import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Input } from '../../src/recording/file/entry.ts';
import { recordedHashes, recordedRandom } from '../../src/replay/played/recordedValues.ts';
import { comparableEvents } from '../../src/replay/recorded/excluded.ts';
import { recordedLine } from '../../src/replay/recorded/recordingSchema.ts';
import { restartRequests } from '../../src/restart/recording/restartPort.ts';
import { createRestartSnapshot, workloadIn } from '../../src/restart/recording/restartSnapshot.ts';
import { folder, sharedCli } from '../support/cli.ts';
import { recordRestarts } from '../support/recording/recordedRestarts.ts';
import { playRecording } from '../support/replay/replayAgain.ts';
import { configMap, type RestartWorld, withEnv } from '../support/world/restartWorld.ts';

const second = 1_000;
const [first, other] = [configMap('first'), configMap('other')];

/** Two sources of four workloads: changes, a stalled rollout, a missing source, a release, another weeder. */
async function aLongDay(world: RestartWorld): Promise<void> {
  world.putSource(first, { a: '1' });
  world.putSource(other, { a: '1' });
  await world.pass(10 * second);
  for (const name of ['web', 'api', 'cart']) world.putWorkload(name, withEnv('first', 'a', name === 'cart'));
  world.putWorkload('shop', withEnv('other', 'a'));
  await world.pass(10 * second);
  for (let change = 2; change < 6; change += 1) {
    world.putSource(first, { a: String(change) });
    await world.pass(3 * second);
    world.putSource(other, { a: String(change) });
    await world.pass(90 * second);
  }
  world.rolloutTime = Number.POSITIVE_INFINITY;
  world.putSource(other, { a: 'broken' });
  await world.pass(80 * second);
  world.rolloutTime = 3 * second;
  for (let change = 6; change < 9; change += 1) {
    world.putSource(first, { a: String(change) });
    await world.pass(100 * second);
  }
  world.putSource(other, { a: 'cured' });
  await world.pass(100 * second);
  world.deleteSource(first);
  await world.pass(10 * second);
  world.putSource(first, { a: '8' });
  await world.pass(100 * second);
  world.patchTemplate('web', { metadata: { annotations: { release: '2' } } });
  world.putSource(first, { a: '9' });
  await world.pass(100 * second);
  await world.restart();
  world.putSource(first, { a: '10' });
  await world.pass(100 * second);
}

async function recordDay(name: string, limit: number): Promise<readonly string[]> {
  const file = join(folder, name);
  await recordRestarts(file, aLongDay, { limit, oldFiles: 99 });
  const old = Array.from({ length: 99 }, (_, index) => `${file}.${99 - index}`);
  return [...old, file].filter((each) => existsSync(each));
}

function linesOf(file: string) {
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => recordedLine.parse(JSON.parse(line)));
}

/** Which workloads were busy when this file began; undefined for the first file. */
function busyIn(file: string): readonly string[] | undefined {
  return linesOf(file).flatMap((line) =>
    line.of === 'restart' && 'in' in line && line.in === 'snapshotEnd' ? [line.busy] : [],
  )[0];
}

test('each file of a recording is replayed alone to the decisions in it, wherever it begins', async () => {
  const later: string[] = [];
  for (const limit of [16, 40, 64, 96].map((size) => size * 1024)) {
    const files = await recordDay(`day-${limit}.jsonl`, limit);
    assert.ok(files.length > 2, String(files.length));
    for (const file of files) assert.deepEqual(await playRecording(file), [], file);
    later.push(...files.slice(1));
  }
  assert.ok(later.some((file) => busyIn(file)?.length === 0));
  assert.ok(later.some((file) => busyIn(file)?.includes('deployment/shop/shop')));
  const restarts = later
    .flatMap((file) => comparableEvents(linesOf(file)))
    .filter(({ out }) => out === 'workload.restarted');
  assert.ok(restarts.length > 30, String(restarts.length));
});

test('in a file that begins in the middle a missing or an additional restart is reported as a difference', async () => {
  const [, ...later] = await recordDay('day.jsonl', 64 * 1024);
  const [restart, file] = later.flatMap((path) => {
    const lines = linesOf(path);
    // What happens in the last moment of a file may be missing in it or in its replay.
    const end = lines.at(-1)?.t ?? 0;
    const event = comparableEvents(lines).find(({ out, t }) => out === 'workload.restarted' && t < end - second);
    return event === undefined ? [] : [[event, path] as const];
  })[0] ?? [assert.fail('no later file has a restart'), ''];
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const isItsRestart = (line: string) => line.includes('"out":"workload.restarted"') && line.includes(restart.about);
  const at = lines.findIndex((line) => isItsRestart(line) && line.includes(`"t":${restart.t},`));
  assert.ok(at > 0);
  const changed = join(folder, 'day-changed.jsonl');
  writeFileSync(changed, `${lines.toSpliced(at, 1).join('\n')}\n`);
  const ended = await sharedCli(['replay', changed]);
  assert.equal(ended.code, 1);
  assert.match(ended.stdout, /^\+ .*restarted .*\(replayed, not recorded\)$/m);
  writeFileSync(changed, `${lines.toSpliced(at, 0, lines[at] ?? '').join('\n')}\n`);
  assert.match((await sharedCli(['replay', changed])).stdout, /^- .*restarted .*\(recorded, not replayed\)$/m);
});

/** Random values at these times, in tenths. */
function randomsAt(times: readonly number[], actors: readonly string[] = []) {
  return times.map((t, index) => ({
    t,
    of: 'restart' as const,
    in: 'random' as const,
    value: index / 10,
    ...(actors[index] === undefined ? {} : { for: actors[index] }),
  }));
}

test('random numbers are taken in their order, and in a file that begins in the middle by their time alone', () => {
  const lines = randomsAt([0, 1_000, 1_000, 9_000]);
  const inOrder = recordedRandom(lines, false, 'restart');
  assert.deepEqual(
    ['a', 'b', 'a', 'b', 'a'].map((actor) => inOrder(actor, 5_000)),
    [0, 0.1, 0.2, 0.3, 0.5],
  );
  const inTime = recordedRandom(lines, true, 'restart');
  assert.deepEqual(
    [1_100, 5_000, 8_900, 8_900].map((now) => inTime('a', now)),
    [0.1, 0.5, 0.3, 0.5],
  );
});

test('an actor takes its own random numbers, in whatever order the actors come', () => {
  const lines = randomsAt([0, 1_000, 1_000, 9_000], ['a', 'b', 'a', 'b']);
  const inOrder = recordedRandom(lines, false, 'restart');
  assert.deepEqual(
    ['b', 'a', 'a', 'a', 'c', 'b'].map((actor) => inOrder(actor, 5_000)),
    [0.1, 0, 0.2, 0.5, 0.5, 0.3],
  );
  const inTime = recordedRandom(lines, true, 'restart');
  assert.deepEqual([inTime('b', 1_100), inTime('a', 1_100), inTime('b', 5_000)], [0.1, 0.2, 0.5]);
});

test('the hash of equal tags is that of the newest restart by then, and a replay may request it a little early', () => {
  const to = restartRequests.hash({ id: 'k' }, { kind: 'Deployment', namespace: 'shop', name: 'web' }, new Map());
  const again = new Map([['since', { tag: '17' }]]);
  assert.equal(to, restartRequests.hash({ id: 'k' }, { kind: 'Deployment', namespace: 'shop', name: 'web' }, again));
  const hashAt = recordedHashes(
    [1_000, 9_000].map((t) => ({ t, of: 'restart', in: 'hash', request: to, hash: `of ${t}` })),
    'restart',
  );
  assert.deepEqual(
    [0, 900, 8_000, 8_900].map((now) => hashAt(to, now)),
    [undefined, 'of 1000', 'of 1000', 'of 9000'],
  );
});

test('a new file repeats the newest state of each object, in the order in which it came about', () => {
  const snapshot = createRestartSnapshot();
  const now = { t: 9, wall: 0 };
  const apply = (entry: Input) => snapshot.apply(entry, now);
  assert.deepEqual(snapshot.lines(now, []), []);
  const object = (name: string, uid: string, resourceVersion: string) => ({
    metadata: { name, namespace: 'shop', uid, resourceVersion },
  });
  const [deployments, named] = ['deployments', 'configmaps settings in shop'];
  const before = object('web', 'w', '5');
  const written = object('web', 'w', '7');
  const digest = (version: string) =>
    ({
      in: 'response',
      request: `digest configmap/shop/settings key uses ${version}`,
      response: { type: 'notFound' },
    }) as const;
  const end = { in: 'end', stream: deployments, resourceVersion: '5' } as const;
  apply({ in: 'created', config: { old: true } });
  apply({ in: 'keys', current: 'old', ids: ['old'] });
  apply({ in: 'created', config: {} });
  apply({ in: 'start' });
  apply({ in: 'begin', stream: deployments });
  apply({ in: 'ADDED', stream: deployments, object: before });
  apply(end);
  apply({ in: 'keys', current: 'k', ids: ['k'] });
  apply({ in: 'keysRead' });
  apply({ in: 'begin', stream: named });
  apply({ in: 'ADDED', stream: named, object: object('settings', 's', '3') });
  apply(digest('3'));
  apply(digest('4'));
  apply({ in: 'response', request: 'patch deployment/shop/web', response: { type: 'ok', value: written } });
  apply({ in: 'MODIFIED', stream: deployments, object: object('web', 'w', '6') });
  const expected: readonly Input[] = [
    { in: 'created', config: {} },
    { in: 'start' },
    digest('4'),
    { in: 'begin', stream: deployments },
    { in: 'ADDED', stream: deployments, object: written },
    end,
    { in: 'keys', current: 'k', ids: ['k'] },
    { in: 'keysRead' },
    { in: 'begin', stream: named },
    { in: 'ADDED', stream: named, object: object('settings', 's', '3') },
    { in: 'snapshotEnd', busy: ['deployment/shop/web'] },
  ];
  assert.deepEqual(
    snapshot.lines(now, ['deployment/shop/web']),
    expected.map((line) => ({ ...line, ...now })),
  );
  assert.deepEqual(workloadIn(snapshot, 'deployment/shop/web'), { stream: deployments, object: written });
  apply({ in: 'DELETED', stream: deployments, object: written });
  assert.equal(workloadIn(snapshot, 'deployment/shop/web'), undefined);
});

test('a new file repeats neither the tags of a deleted source nor a stream that was closed', () => {
  const snapshot = createRestartSnapshot();
  const now = { t: 9, wall: 0 };
  const [kept, dropped] = ['kept', 'dropped'].map((name) => ({
    stream: `configmaps ${name} in shop`,
    object: { metadata: { name, namespace: 'shop', uid: name } },
    digest: {
      in: 'response',
      request: `digest configmap/shop/${name} key uses 1`,
      response: { type: 'notFound' },
    } as const,
  }));
  assert.ok(kept && dropped);
  snapshot.apply({ in: 'created', config: {} }, now);
  for (const { stream, object, digest } of [kept, dropped]) {
    snapshot.apply({ in: 'begin', stream }, now);
    snapshot.apply({ in: 'ADDED', stream, object }, now);
    snapshot.apply({ in: 'end', stream }, now);
    snapshot.apply(digest, now);
  }
  const repeated = () => JSON.stringify(snapshot.lines(now, []));
  assert.match(repeated(), /digest configmap\/shop\/dropped/);
  snapshot.apply({ in: 'DELETED', stream: dropped.stream, object: dropped.object }, now);
  assert.doesNotMatch(repeated(), /digest configmap\/shop\/dropped/);
  assert.match(repeated(), /configmaps dropped in shop/);
  snapshot.apply({ in: 'closed', stream: dropped.stream }, now);
  assert.doesNotMatch(repeated(), /dropped/);
  assert.match(repeated(), /digest configmap\/shop\/kept/);
  assert.match(repeated(), /configmaps kept in shop/);
});
