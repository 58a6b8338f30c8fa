import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { settled, unreachable } from '@weeder/kube-runtime/testing';
import { watchOnce } from '@weeder/kube-runtime/watch';
import { openRecorder } from '../../src/recording/recorder.ts';
import { recordingRestart } from '../../src/restart/recording/recordRestart.ts';
import { folder } from '../support/cli.ts';
import { restartConfig } from '../support/objects/restartSettings.ts';
import { recordingOf } from '../support/recording/recording.ts';
import { playRecording } from '../support/replay/replayAgain.ts';
import { configMap, restartWorld, withEnv } from '../support/world/restartWorld.ts';

const source = configMap('settings');

/** Records restart control whose ConfigMaps are delivered by a watch, each call of `deliver` as one chunk of its body. */
async function recordWatched(file: string, bursts: readonly (readonly [number, number])[]): Promise<number> {
  const base = recordingOf(file);
  const { clock } = base;
  const opened = await openRecorder({ ...base, config: { services: new Map(), restart: restartConfig() } });
  assert.ok(opened.ok);
  const recorder = opened.value;
  const lines: string[] = [];
  let isWatched = false;
  let send = (_chunk: Buffer) => {};
  let end = () => {};
  async function* body(): AsyncGenerator<Buffer> {
    for (;;) {
      const next = await new Promise<Buffer | undefined>((resolve) => {
        send = resolve;
        end = () => resolve(undefined);
      });
      if (next === undefined) return;
      yield next;
    }
  }
  const world = await restartWorld(restartConfig(), {
    clock,
    createRestart(options) {
      const core = recordingRestart(recorder.of('restart'))(options);
      const need = core.needs.get('configmaps');
      assert.ok(need);
      const { sink } = need;
      const watched = {
        ...sink,
        apply(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: JsonObject) {
          if (isWatched) lines.push(`${JSON.stringify({ type, object })}\n`);
          else sink.apply(type, object);
        },
      };
      void watchOnce({
        client: { ...unreachable, openStream: async () => ({ ok: true, body: body(), connection: 1 }) },
        clock,
        source: { path: '/api/v1/configmaps', kind: 'ConfigMap', labelSelector: '', sink },
        start: '1',
        timeoutSeconds: 600,
        signal: new AbortController().signal,
        onOpened: () => undefined,
      });
      const needs = new Map([...core.needs, ['configmaps', { ...need, sink: watched }]]);
      return { ...core, needs };
    },
  });
  async function deliver(count: number): Promise<void> {
    await settled();
    send(Buffer.from(lines.splice(0, count).join('')));
    for (let turn = 0; turn < 30; turn += 1) await settled();
  }

  world.putSource(source, { a: '1' });
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(10_000);
  isWatched = true;
  for (const [count, first] of bursts) {
    for (let nr = 0; nr < count; nr += 1) {
      const metadata = { annotations: { nr: `${nr} ${'x'.repeat(1_000)}` } };
      world.putSource(source, { a: nr < count / 2 ? '1' : String(count) }, { metadata });
    }
    await deliver(first);
    await world.pass(1);
    await deliver(count - first);
    await world.pass(120_000);
  }
  world.stop();
  end();
  await recorder.close();
  return world.rollouts.length;
}

test('a replay repeats the restart after a burst of writes that the content read before was ahead of', async () => {
  const file = join(folder, 'watched-bursts.jsonl');
  assert.equal(
    await recordWatched(file, [
      [60, 1],
      [61, 3],
      [40, 20],
    ]),
    3,
  );
  assert.deepEqual(await playRecording(file), []);
});
