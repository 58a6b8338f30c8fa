import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { readRecordedChanges } from '../../src/cli/suggest/recordedChanges.ts';
import { coincidencesIn } from '../../src/suggest/coincidences.ts';
import { changesOfRecording } from '../../src/suggest/recordedChanges.ts';
import { recordIncident } from '../support/recording/recording.ts';

const recorded = (name: string) => new URL(`../data/recorded/${name}`, import.meta.url).pathname;

test('in watch events of a real kubelet, a crash loop that begins in an outage is found', async () => {
  const files = ['pod', 'slice'].map((kind) => recorded(`not-ready-exit5-${kind}-events.jsonl`));
  const changes = await readRecordedChanges(files);
  assert.ok(changes.ok);
  const [coincidence, ...others] = coincidencesIn(changes.value);
  assert.deepEqual(others, []);
  assert.match(coincidence?.evidence[0]?.found ?? '', /^crash-looping began once, 1 of them during the 1 outage/);
  assert.deepEqual(
    [coincidence?.workload, coincidence?.service],
    [
      { kind: 'Deployment', namespace: 'demo', name: 'kapi' },
      { namespace: 'demo', name: 'etcd-main-client' },
    ],
  );
});

test('a recording of weeder contains the outages and crash loops of what it watched', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-suggest-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { file } = await recordIncident(join(folder, 'weeder.jsonl'), { repeats: 2 });
  const changes = await readRecordedChanges([file]);
  assert.ok(changes.ok);
  const coincidences = coincidencesIn(changes.value);
  assert.ok(coincidences.length > 0);
  assert.ok(coincidences.every(({ service }) => service.name === 'etcd-main-client'));
});

test('a list that no longer has an object ends it, as does the end of its stream', () => {
  const object = (name: string) => ({ metadata: { namespace: 'shop', name } });
  const stream = 'pods app=web';
  const changes = changesOfRecording({
    lines: [
      { t: 0, of: 'weeder', in: 'begin', stream },
      { t: 1, of: 'weeder', in: 'ADDED', stream, object: object('a') },
      { t: 2, of: 'weeder', in: 'ADDED', stream, object: object('b') },
      { t: 3, of: 'weeder', in: 'ADDED', stream: 'endpointslices', object: object('slice') },
      { t: 4, of: 'restart', in: 'ADDED', stream, object: object('other') },
      { t: 5, of: 'weeder', in: 'end', stream },
      { t: 6, of: 'weeder', in: 'begin', stream },
      { t: 7, of: 'weeder', in: 'ADDED', stream, object: object('b') },
      { t: 8, of: 'weeder', in: 'end', stream },
      { t: 9, of: 'weeder', in: 'closed', stream },
    ],
  });
  assert.deepEqual(
    changes.map(({ at, kind, object: { metadata }, isOver }) => [at, kind, objectOf(metadata)['name'], isOver]),
    [
      [1, 'Pod', 'a', false],
      [2, 'Pod', 'b', false],
      [3, 'EndpointSlice', 'slice', false],
      [7, 'Pod', 'b', false],
      [8, 'Pod', 'a', true],
      [9, 'Pod', 'b', true],
    ],
  );
});

test('a file that is neither is refused in one sentence', async () => {
  const refused = await readRecordedChanges([recorded('missing.jsonl')]);
  assert.ok(!refused.ok);
  assert.match(refused.error.message, /^Cannot read .*: there is no such file\.$/);
});
