import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { VirtualClock } from '@weeder/kube-runtime/testing';
import { openRecorder } from '../../src/recording/recorder.ts';
import { recordingWeeder } from '../../src/weeder/recording/recordWeeder.ts';
import type { CreateWeederCore } from '../../src/weeder/weederCore.ts';
import { file, folder, sharedCli } from '../support/cli.ts';
import { backOff, pod, slice } from '../support/objects/objects.ts';
import { configOf, readLines, recordingOf } from '../support/recording/recording.ts';
import { weederOptions } from '../support/world/weederOptions.ts';

/** One term of leadership, with a recovery in it, that ends in the middle of the window. */
async function term(create: CreateWeederCore, clock: VirtualClock, number: number): Promise<void> {
  const config = configOf();
  const weeder = create({
    ...weederOptions(config, clock, { random: Math.random, readySince: async () => 0 }),
    namespaces: 'all',
    onStreamsChanged: () => {},
    onStreamClosed: () => {},
  });
  const [slices, pods] = [...weeder.needs.values()].map(({ sink }) => sink);
  for (const sink of [slices, pods]) sink?.begin();
  slices?.apply('ADDED', slice({ ready: [false] }));
  pods?.apply('ADDED', pod({ name: `kapi-${number}`, uid: `kapi-${number}`, containers: [backOff(4)] }));
  for (const sink of [slices, pods]) sink?.end();
  weeder.start();
  await clock.pass(10_000);
  slices?.apply('MODIFIED', slice());
  await clock.pass(10_000);
  weeder.stop();
  await clock.pass(60_000);
}

test('a recording with several terms of leadership is replayed with a fresh weeder for each', async () => {
  const base = recordingOf(join(folder, 'terms.jsonl'));
  const opened = await openRecorder({ ...base, config: configOf() });
  assert(opened.ok);
  const create = recordingWeeder(opened.value.of('weeder'));
  for (const number of [1, 2, 3]) await term(create, base.clock, number);
  await opened.value.close();
  const lines = readLines(base.file);
  assert.equal(lines.filter((line) => line['in'] === 'created').length, 2);
  const { code, stdout } = await sharedCli(['replay', base.file]);
  assert.equal(code, 0, stdout);
  assert.equal(stdout.match(/pod deleted/g)?.length, 3);

  const without = lines.filter((line) => line['in'] !== 'created').map((line) => JSON.stringify(line));
  const replayed = await sharedCli(['replay', file('without.jsonl', `${without.join('\n')}\n`)]);
  assert.equal(replayed.code, 1, 'the one weeder had stopped permanently');
});
