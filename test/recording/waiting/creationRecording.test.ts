import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ApiRequest } from '@weeder/kube-runtime/client';
import { clientOf } from '@weeder/kube-runtime/testing';
import { resolveConfig } from '../../../src/config/config.ts';
import { configFile } from '../../../src/config/schema/schema.ts';
import { openRecorder } from '../../../src/recording/recorder.ts';
import { differences } from '../../../src/replay/recorded/compare.ts';
import { readRecording } from '../../../src/replay/recorded/recordingFile.ts';
import { replayRecording } from '../../../src/replay/replayRecording.ts';
import { recordingWeeder } from '../../../src/weeder/recording/recordWeeder.ts';
import { createWeederController } from '../../../src/weeder/weederController.ts';
import { folder } from '../../support/cli.ts';
import { slice } from '../../support/objects/objects.ts';
import { readLines, recordingOf } from '../../support/recording/recording.ts';
import { controllerContext } from '../../support/world/controllerContext.ts';
import { failedCreate, webhook } from '../../support/world/creationWorld.ts';
import { listInto } from '../../support/world/declaringPods.ts';
import { minute } from '../../support/world/simulation.ts';

const config = resolveConfig(configFile.parse({ podCreation: { watchDuration: '1m' } }));

function webhookConfiguration(failurePolicy = 'Fail') {
  const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }];
  const clientConfig = { service: { namespace: 'policy', name: 'webhook' } };
  return { metadata: { name: 'policy' }, webhooks: [{ name: webhook, failurePolicy, clientConfig, rules }] };
}

const of = (isReady: boolean) => slice({ namespace: 'policy', service: 'webhook', ready: [isReady] });

/** Answers as an API server whose objects lack one pod each. The second PATCH is a conflict. */
function apiServer() {
  const patches: ApiRequest[] = [];
  const client = clientOf(async (request) => {
    const isPatch = request.method === 'PATCH';
    if (isPatch) patches.push(request);
    const name = request.path.split('/').at(-1);
    const metadata = { namespace: 'shop', name, uid: `shop/${name}`, resourceVersion: '7' };
    if (isPatch && patches.length === 2)
      return { ok: false, failure: { type: 'conflict', message: 'changed', status: 409 } };
    return { ok: true, status: 200, body: { metadata, spec: { replicas: 2 }, status: { replicas: 1 } } };
  });
  return { client, patches };
}

/** Records the real controller through two outages of a webhook. */
async function record(name: string, limit?: number) {
  const base = recordingOf(join(folder, name));
  const { clock, file } = base;
  const opened = await openRecorder({ ...base, config, oldFiles: 9, ...(limit === undefined ? {} : { limit }) });
  assert.ok(opened.ok);
  const recorder = opened.value;
  const { client, patches } = apiServer();
  const controller = createWeederController({
    ...controllerContext({ config, runtime: { clock }, client }),
    concurrentDeletions: 32,
    createCore: recordingWeeder(recorder.of('weeder')),
  });
  const sinkOf = (stream: string) => {
    const sink = controller.needs.get(stream)?.sink;
    assert.ok(sink, `there is no stream ${stream}, but ${[...controller.needs.keys()].join()}`);
    return sink;
  };
  controller.start();
  listInto(sinkOf('failedcreates'));
  listInto(sinkOf('mutatingwebhookconfigurations'));
  listInto(sinkOf('validatingwebhookconfigurations'), webhookConfiguration());
  await clock.pass(2000);
  listInto(sinkOf('endpointslices'), of(false));
  for (let outage = 0; outage < 2; outage += 1) {
    for (const each of ['web', 'api', 'batch'])
      sinkOf('failedcreates').apply('MODIFIED', failedCreate(each, clock.now()));
    await clock.pass(minute);
    sinkOf('endpointslices').apply('MODIFIED', of(true));
    await clock.pass(10 * minute);
    sinkOf('endpointslices').apply('MODIFIED', of(false));
    await clock.pass(minute);
  }
  sinkOf('validatingwebhookconfigurations').apply('MODIFIED', webhookConfiguration('Ignore'));
  await clock.pass(2000);
  const isWatched = controller.needs.has('endpointslices');
  controller.stop();
  await recorder.close();
  return { file, patches, isWatched };
}

async function replayed(file: string) {
  const [header, ...lines] = readLines(file).map((value, index) => ({ file, line: index + 1, value }));
  assert.ok(header);
  const recording = readRecording(header, lines);
  assert.ok(recording.ok, JSON.stringify(recording));
  const replay = await replayRecording(recording.value);
  assert.deepEqual(differences(replay), []);
  return replay.replayed.filter(({ out }) => out === 'creation.retried').map(({ detail }) => detail);
}

test('webhooks are found, and what weeder retries is replayed to the same decisions', async () => {
  const { file, patches, isWatched } = await record('creations.jsonl');
  const objects = ['web', 'api', 'batch'].map((name) => `ReplicaSet shop/${name}, ${webhook}`).sort();
  assert.deepEqual((await replayed(file)).toSorted(), [...objects, ...objects].sort());
  assert.equal(isWatched, false, 'a webhook that is ignored when it fails');
  assert.equal(patches.length, 7);
  for (const { path, body } of patches) {
    assert.match(path, /^\/apis\/apps\/v1\/namespaces\/shop\/replicasets\/\w+$/);
    assert.partialDeepStrictEqual(body, { metadata: { resourceVersion: '7', annotations: {} } });
  }
});

test('each later file is replayed alone, with the webhooks of its beginning', async () => {
  const { file } = await record('parts.jsonl', 4096);
  const later = await Promise.all([file, `${file}.1`].map(replayed));
  assert.ok(later.flat().length > 0);
  assert.ok(later.every((details) => details.every((detail) => detail.includes(webhook))));
});
