import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { clientOf } from '@weeder/kube-runtime/testing';
import { openRecorder } from '../../../src/recording/recorder.ts';
import { readDeclaringPod } from '../../../src/weeder/declared/declaringPod.ts';
import { recordingWeeder } from '../../../src/weeder/recording/recordWeeder.ts';
import { reduceWeederObject } from '../../../src/weeder/recording/reduceObject.ts';
import { createWeederController } from '../../../src/weeder/weederController.ts';
import { folder } from '../../support/cli.ts';
import {
  type ContainerState,
  notPulled,
  type PodOptions,
  pod,
  refused,
  running,
  slice,
} from '../../support/objects/objects.ts';
import { readLines, recordingOf } from '../../support/recording/recording.ts';
import { playRecording } from '../../support/replay/replayAgain.ts';
import { controllerContext } from '../../support/world/controllerContext.ts';
import { listInto } from '../../support/world/declaringPods.ts';
import { configFor, minute } from '../../support/world/simulation.ts';

const image = 'registry.shop.svc:5000/web:1';
const labels = { 'weeder.dev/depends-on': 'registry' };

function pulling(name: string, container: ContainerState, options: PodOptions = {}) {
  return pod({ name, namespace: 'shop', phase: 'Pending', containers: [container], labels, ...options });
}

test('a reduced pod that waits for its image has the same meaning as the whole one', () => {
  const debugged = pulling('debugged', notPulled({ image }));
  const whole = [
    pulling('web', notPulled({ image })),
    pulling('web', notPulled({ image, error: '' })),
    pulling('web', notPulled({ image, error: 'web:1: not found' })),
    pulling('web', notPulled({ image }), { initContainers: [notPulled({ image })] }),
    pulling('web', notPulled({ image }), { initContainers: [running()] }),
    pulling('web', notPulled({ image }), { isBare: true }),
    pulling('web', notPulled({ image }), { labels: {} }),
    pulling('web', { ...notPulled({ image }), restarts: 1 }),
    pulling('web', notPulled({ image }), { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    { ...debugged, status: { ...debugged.status, ephemeralContainerStatuses: [{ name: 'debugger' }] } },
  ];
  const before = readDeclaringPod(whole[0], undefined).pod;
  for (const known of [undefined, before])
    for (const object of whole)
      assert.deepEqual(readDeclaringPod(reduceWeederObject('Pod', object), known), readDeclaringPod(object, known));
});

test('a recorded pod has its image only if it waits for it, and no query of a URL', () => {
  const url = 'https://blobs.shop.svc/web?X-Amz-Signature=s3cret';
  const error = `failed to copy: httpReadSeeker: failed open: failed to do request: Get "${url}": ${refused}`;
  const recorded = JSON.stringify(reduceWeederObject('Pod', pulling('web', notPulled({ image, error }))));
  assert.match(recorded, /registry\.shop\.svc/);
  assert.doesNotMatch(recorded, /s3cret/);
  const started = pod({ containers: [{ ...running(), spec: { image } }], labels });
  assert.doesNotMatch(JSON.stringify(reduceWeederObject('Pod', started)), /registry\.shop\.svc/);
});

test('a recording of pulls is replayed to the same decisions', async () => {
  const config = configFor({ services: [], declared: { watchDuration: minute } });
  const base = recordingOf(join(folder, 'pulls.jsonl'));
  const { clock, file } = base;
  const opened = await openRecorder({ ...base, config, oldFiles: 1 });
  assert.ok(opened.ok);
  const client = clientOf(async () => ({ ok: true, status: 200, body: {} }));
  const controller = createWeederController({
    ...controllerContext({ config, runtime: { clock }, client }),
    concurrentDeletions: 32,
    createCore: recordingWeeder(opened.value.of('weeder')),
  });
  const sinkOf = (stream: string) => {
    const sink = controller.needs.get(stream)?.sink;
    assert.ok(sink, `there is no stream ${stream}, but ${[...controller.needs.keys()].join()}`);
    return sink;
  };
  const registry = (isReady: boolean) => slice({ namespace: 'shop', service: 'registry', ready: [isReady] });
  listInto(
    sinkOf('declarations'),
    pulling('web', notPulled({ reason: 'ErrImagePull', image })),
    pulling('gone', notPulled({ image })),
    pulling('undeclared', notPulled({ image }), { labels: { app: 'web' } }),
  );
  listInto(sinkOf('endpointslices'), registry(false));
  controller.start();
  for (const object of [
    pulling('web', notPulled({ image, error: '' })),
    pulling('gone', notPulled({ image, error: 'web:1: not found' })),
  ])
    sinkOf('declarations').apply('MODIFIED', object);
  await clock.pass(1000);
  sinkOf('endpointslices').apply('MODIFIED', registry(true));
  await clock.pass(10 * minute);
  controller.stop();
  await opened.value.close();
  assert.doesNotMatch(readFileSync(file, 'utf8'), /undeclared/);
  const deleted = readLines(file).flatMap(({ out, pod: name }) => (out === 'pod.deleted' ? [name] : []));
  assert.deepEqual(deleted, ['shop/web']);
  assert.deepEqual(await playRecording(file), []);
});
