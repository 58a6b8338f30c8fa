import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import type { Config } from '../../src/config/config.ts';
import { openRecorder } from '../../src/recording/recorder.ts';
import { file, folder, sharedCli } from '../support/cli.ts';
import { backOff, pod, running, slice } from '../support/objects/objects.ts';
import { readLines, recordedWeeder, recordingOf } from '../support/recording/recording.ts';
import { serviceConfig } from '../support/world/simulation.ts';
import { weederOptions } from '../support/world/weederOptions.ts';

interface Story {
  readonly config: Config;
  readonly namespaces: 'all' | readonly string[];
  /** What the streams deliver after the start, with all the time that it takes. */
  readonly play: (sinkOf: (name: string) => StreamNeed['sink'], pass: (ms: number) => Promise<void>) => Promise<void>;
  readonly limit?: number;
}

/** Records a weeder whose streams begin with empty lists; returns the names of its streams. */
async function recordStory(path: string, { config, namespaces, play, limit = 1_000_000 }: Story): Promise<string[]> {
  const base = recordingOf(path);
  const opened = await openRecorder({ ...base, config, namespaces, limit });
  assert.ok(opened.ok);
  const recorder = opened.value;
  const weeder = recordedWeeder(recorder, weederOptions(config, base.clock), namespaces);
  const streams = new Map([...weeder.needs].map(([name, { sink }]) => [name, sink] as const));
  for (const sink of streams.values()) {
    sink.begin();
    sink.end();
  }
  weeder.start();
  const sinkOf = (name: string) => streams.get(name) ?? assert.fail(`no stream ${name} in ${[...streams.keys()]}`);
  await play(sinkOf, (ms) => base.clock.pass(ms));
  weeder.stop();
  await recorder.close();
  return [...streams.keys()];
}

async function replayed(...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await sharedCli(['replay', ...words]);
  assert.equal(code, 0, stdout + stderr);
  return stdout;
}

/** More selectors than have a stream each. */
const many = Array.from({ length: 17 }, (_, index) => ({ matchLabels: { role: `role-${index}` } }));
const manyConfig: Config = {
  services: new Map([['etcd-main-client', serviceConfig({ podSelectors: many })]]),
  restart: undefined,
};

/** Pods of the first and the last selector crash-loop, and one of no selector; the last one leaves its selector. */
const fanOutStory: Story = {
  config: manyConfig,
  namespaces: 'all',
  async play(sinkOf, pass) {
    const [slices, pods] = [sinkOf('endpointslices'), sinkOf('pods')];
    slices.apply('ADDED', slice({ ready: [false] }));
    for (const nr of [0, 16, 17]) {
      const crashing = { name: `kapi-${nr}`, labels: { role: `role-${nr}` }, containers: [backOff(4)] };
      pods.apply('ADDED', pod(crashing));
    }
    pods.apply('ADDED', pod({ name: 'left', labels: { role: 'role-3' }, containers: [backOff(4)] }));
    await pass(1000);
    pods.apply('MODIFIED', pod({ name: 'left', labels: { role: 'none' }, containers: [backOff(4)] }));
    await pass(1000);
    slices.apply('MODIFIED', slice({ ready: [true] }));
    await pass(5000);
    pods.apply('MODIFIED', pod({ name: 'kapi-0', labels: { role: 'role-0' }, containers: [running(5)] }));
    await pass(300_000);
  },
};

test('a recording of one stream for more than 16 selectors is replayed to the same decisions', async () => {
  const path = join(folder, 'fan-out.jsonl');
  assert.deepEqual(await recordStory(path, fanOutStory), ['endpointslices', 'pods']);
  const stdout = await replayed(path);
  assert.deepEqual(
    [...stdout.matchAll(/pod deleted .* (shoot-1\/\S+) {2}delete/g)].map(([, name]) => name),
    ['shoot-1/kapi-0', 'shoot-1/kapi-16'],
  );
  assert.match(stdout, /the same decisions as recorded/);
});

test('with another config it also shows what other selectors would have found, as it has all crash-looping pods', async () => {
  const path = join(folder, 'fan-out-other.jsonl');
  await recordStory(path, fanOutStory);
  const other = file(
    'role-17.yaml',
    'servicesAndDependantSelectors:\n  etcd-main-client:\n    podSelectors: [{matchLabels: {role: role-17}}]\n',
  );
  const stdout = await replayed(`--config-file=${other}`, path);
  assert.match(stdout, /pod deleted .*shoot-1\/kapi-17 {2}delete/);
  assert.doesNotMatch(stdout, /kapi-0|kapi-16|were not watched/);
});

const namespaced: Story = {
  config: {
    services: new Map([
      [
        'etcd-main-client',
        serviceConfig({ namespaces: ['shoot-a', 'shoot-b'], dependantNamespaces: ['shoot-a', 'shoot-b'] }),
      ],
    ]),
    restart: undefined,
  },
  namespaces: ['shoot-a', 'shoot-b'],
  async play(sinkOf, pass) {
    const selector = 'pods role=apiserver';
    for (const namespace of ['shoot-a', 'shoot-b']) {
      sinkOf(`endpointslices in ${namespace}`).apply('ADDED', slice({ namespace, ready: [false] }));
      const crashing = pod({ namespace, containers: [backOff(4)] });
      sinkOf(`${selector} in ${namespace}`).apply('ADDED', crashing);
    }
    await pass(60_000);
    sinkOf('endpointslices in shoot-a').apply('MODIFIED', slice({ namespace: 'shoot-a', ready: [true] }));
    await pass(60_000);
    for (const name of [`${selector} in shoot-b`, 'endpointslices in shoot-b']) {
      // The streams of one namespace are listed again, and are empty: this does not concern the other namespace.
      sinkOf(name).begin();
      sinkOf(name).end();
    }
    const again = pod({ namespace: 'shoot-a', name: 'kapi-1', containers: [backOff(4)] });
    sinkOf(`${selector} in shoot-a`).apply('ADDED', again);
    await pass(300_000);
  },
};

for (const limit of [1_000_000, 2_500]) {
  test(`a recording of several namespaces is replayed to the same decisions, with files of ${limit} bytes`, async () => {
    const path = join(folder, `namespaces-${limit}.jsonl`);
    assert.equal((await recordStory(path, { ...namespaced, limit })).length, 4);
    const isRotated = limit < 1_000_000;
    assert.equal(Number(readLines(path)[0]?.['part']) > 1, isRotated);
    const stdout = await replayed(...(isRotated ? [`${path}.1`, path] : [path]));
    assert.match(stdout, /the same decisions as recorded/);
    if (isRotated) return;
    const deleted = [...stdout.matchAll(/pod deleted .* (shoot-\w\/\S+) {2}delete/g)].map(([, name]) => name);
    assert.deepEqual(deleted, ['shoot-a/kapi-0', 'shoot-b/kapi-0', 'shoot-a/kapi-1']);
  });
}

test('with another config, too, namespaces are separate, and those that were watched are named', async () => {
  const path = join(folder, 'namespaces-other.jsonl');
  await recordStory(path, namespaced);
  const other = file(
    'same.yaml',
    'servicesAndDependantSelectors:\n  etcd-main-client:\n    podSelectors: [{matchLabels: {role: apiserver}}]\n',
  );
  const stdout = await replayed('--config-file', other, path);
  const deleted = [...stdout.matchAll(/pod deleted .* (shoot-\w\/\S+) {2}delete/g)].map(([, name]) => name);
  assert.deepEqual(deleted, ['shoot-a/kapi-0', 'shoot-a/kapi-1']);
  assert.match(stdout, /\n\nnot known from the recording:\n {2}only these namespaces were watched: shoot-a, shoot-b\n/);
});
