import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newestTime } from '../../src/replay/recorded/newestTime.ts';
import { file, oneSentence, sharedCli } from '../support/cli.ts';
import { backOff, pod, running, slice } from '../support/objects/objects.ts';

const recorded = join(import.meta.dirname, '../data/recorded');
const config = file(
  'etcd.yaml',
  'watchDuration: 2m\nservicesAndDependantSelectors:\n  etcd-main-client:\n    podSelectors: [{matchLabels: {role: apiserver}}]\n',
);

const expected = {
  'not-ready-exit5': `    +0.000s  06:20:40.740  service is ready  demo/etcd-main-client
   +12.718s  06:20:53.458  service is down   demo/etcd-main-client
  +138.558s  06:22:59.298  window opened     demo/etcd-main-client #1  2m0s
  +138.558s  06:22:59.298  pod deleted       demo/etcd-main-client #1  demo/kapi-5c5d9545d8-r299k  delete, in unreported back-off, restarts 4
  +258.558s  06:24:59.298  window closed     demo/etcd-main-client #1  1 deleted, 0 skipped, 0 failed

pod                         would be deleted  after recovery  back-off           saved
demo/kapi-5c5d9545d8-r299k  06:22:59.298      +0.000s         1m20s, unreported  70.095s
1 pod, 70.095s of back-off saved
`,
  'scaled-to-zero': `    +0.000s  06:01:23.176  service is ready  demo/etcd-main-client
    +9.887s  06:01:33.063  service is down   demo/etcd-main-client
  +161.716s  06:04:04.892  window opened     demo/etcd-main-client #1  2m0s
  +161.716s  06:04:04.892  pod deleted       demo/etcd-main-client #1  demo/kapi-66c98575c9-hwgfj  delete, CrashLoopBackOff, restarts 4
  +281.716s  06:06:04.892  window closed     demo/etcd-main-client #1  1 deleted, 0 skipped, 0 failed

pod                         would be deleted  after recovery  back-off  saved
demo/kapi-66c98575c9-hwgfj  06:04:04.892      +0.000s         1m20s     16.641s
1 pod, 16.641s of back-off saved
`,
};

for (const [name, output] of Object.entries(expected)) {
  test(`${name}, recorded from a real kubelet: what weeder would have done, and saved, whatever the order of the files`, async () => {
    const files = globSync(join(recorded, `${name}-*.jsonl`)).sort();
    for (const order of [files, files.toReversed()]) {
      const { code, stdout, stderr } = await sharedCli(['replay', '--config-file', config, ...order]);
      assert.equal(stderr, '');
      assert.equal(stdout, output);
      assert.equal(code, 0);
    }
  });
}

/** What is printed of one recording after a change of every line. */
async function replayChanged(change: (line: string) => string): Promise<string> {
  const files = globSync(join(recorded, 'not-ready-exit5-*.jsonl')).sort();
  const changed = files.map((path, index) => {
    const lines = readFileSync(path, 'utf8').trim().split('\n').map(change);
    return file(`changed-${index}.jsonl`, `${lines.join('\n')}\n`);
  });
  const { code, stdout, stderr } = await sharedCli(['replay', '--config-file', config, ...changed]);
  assert.equal(code, 0, stderr);
  return stdout;
}

test('lines without ts take the newest time in their objects', async () => {
  const stdout = await replayChanged((line) => {
    const { ts, type, object } = JSON.parse(line);
    const managedFields = [{ time: `${String(ts).slice(0, 19)}Z` }];
    return JSON.stringify({ type, object: { ...object, metadata: { ...object.metadata, managedFields } } });
  });
  assert.match(stdout, /06:22:59\.000 {2}window opened .*\n.*06:22:59\.000 {2}pod deleted .*in unreported back-off/);
  assert.match(stdout, /1m20s, unreported {2}70\.000s\n1 pod, 70\.000s of back-off saved\n$/);
});

test('a line without a newer time is replayed together with the line before it', async () => {
  const stdout = await replayChanged((line) => {
    const { ts, type, object } = JSON.parse(line);
    return JSON.stringify(object.kind === 'Pod' ? { type, object } : { ts, type, object });
  });
  // The kubelet writes no time when it turns from terminated to CrashLoopBackOff.
  assert.match(stdout, /06:22:59\.298 {2}pod deleted .*CrashLoopBackOff, restarts 4\n/);
  assert.match(stdout, /1 pod, 69\.702s of back-off saved\n$/);
});

test('the newest time of an object is found in any of its fields', () => {
  const at = (second: number) => `2026-01-01T00:00:0${second}Z`;
  const first = { creationTimestamp: at(1) };
  const containerStatuses = [
    { state: { running: { startedAt: at(3) } }, lastState: { terminated: { finishedAt: at(2) } } },
  ];
  const places = [
    { metadata: { creationTimestamp: at(3) } },
    { metadata: { ...first, managedFields: [{ time: at(2) }, { time: at(3) }] } },
    { metadata: { ...first, annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': at(3) } } },
    { metadata: first, status: { conditions: [{ lastTransitionTime: at(3) }] } },
    { metadata: first, status: { containerStatuses } },
    { metadata: first, status: { initContainerStatuses: containerStatuses } },
  ];
  for (const object of places) assert.equal(newestTime(object), Date.parse(at(3)));
  assert.equal(newestTime({}), undefined);
});

const start = Date.UTC(2026, 0, 1);
const at = (seconds: number, object: object, type = 'MODIFIED') => ({
  ts: new Date(start + seconds * 1000).toISOString(),
  type,
  object,
});

function events(name: string, lines: readonly object[]): string {
  return file(name, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
}

test('deleted pods and pods with other labels are ignored, and a second recovery finds the successor', async () => {
  const lost = { type: 'BOOKMARK', object: { kind: 'Pod' } };
  const path = events('two.jsonl', [
    at(0, slice(), 'ADDED'),
    at(0, pod({ containers: [running()] }), 'ADDED'),
    at(10, slice({ ready: [false] })),
    lost,
    at(20, pod({ containers: [backOff(3)] })),
    at(20, pod({ name: 'other', labels: { role: 'other' }, containers: [backOff(3)] }), 'ADDED'),
    at(60, slice()),
    at(70, pod({ containers: [backOff(4)] })),
    at(80, slice({ ready: [false] })),
    at(90, pod({ name: 'kapi-1', containers: [backOff(3)] }), 'ADDED'),
    at(100, slice()),
  ]);
  const { stdout, code } = await sharedCli(['replay', `--config-file=${config}`, path]);
  assert.equal(code, 0);
  assert.match(stdout, /\+60\.000s .*window opened/);
  assert.match(stdout, /\+100\.000s .*window opened/);
  const rows = stdout.split('\n').filter((line) => /^shoot-1/.test(line));
  assert.deepEqual(
    rows.map((row) => row.split(/ {2,}/)),
    [
      ['shoot-1/kapi-0', '00:01:00.000', '+0.000s', '40s', '10.000s'],
      ['shoot-1/kapi-1', '00:01:40.000', '+0.000s', '40s', 'unknown'],
    ],
  );
});

test('without a recovery nothing would have been deleted', async () => {
  const path = events('calm.jsonl', [at(0, slice(), 'ADDED'), at(0, pod({ containers: [backOff(3)] }), 'ADDED')]);
  const { stdout, code } = await sharedCli(['replay', `--config-file=${config}`, path]);
  assert.equal(code, 0);
  assert.match(stdout, /\n\nweeder would have deleted no pod\n$/);
});

test('events that cannot be replayed are reported in one sentence with file and line', async () => {
  const cases: readonly (readonly [readonly object[], RegExp])[] = [
    [[at(5, slice()), at(1, slice())], /^\.\/bad\.jsonl:2: the event is out of order: its ts is 2026-01-01T00:00:01/],
    [[at(5, { kind: 'Node' })], /^\.\/bad\.jsonl:1: found an event of kind Node; expected Pod or EndpointSlice\./],
    [[{ ...at(5, slice()), ts: 'noon' }], /^\.\/bad\.jsonl:1: ts is "noon", which is not a time such as 2026-/],
    [
      [{ type: 'ADDED', object: { kind: 'Pod' } }],
      /^\.\/bad\.jsonl:1: the event has no ts, and its object names no time\./,
    ],
    [[{ type: 'ERROR', object: {} }], /^\.\/bad\.jsonl:1: found neither a line of a recording nor a watch event/],
  ];
  for (const [lines, sentence] of cases) {
    const ended = await sharedCli(['replay', `--config-file=${config}`, events('bad.jsonl', lines)]);
    assert.match(oneSentence(ended, 1), sentence);
  }
});

test('watch events need a config that can be used', async () => {
  const path = events('some.jsonl', [at(0, slice())]);
  assert.match(oneSentence(await sharedCli(['replay', path]), 2), /weeder replay needs --config-file FILE\./);
  assert.match(
    oneSentence(await sharedCli(['replay', '--config-file', 'none.yaml', path]), 1),
    /^none\.yaml: there is no such file\./,
  );
});

test('a time beyond the year 9999, or out of range, is a sentence or a replay, never an exception', async () => {
  const last = '+275760-09-13T00:00:00.000Z';
  const event = (ts: string, metadata: object = {}) => {
    const object = {
      kind: 'Pod',
      metadata: { name: 'a', namespace: 'b', uid: 'c', resourceVersion: '1', ...metadata },
    };
    return JSON.stringify({ ...(ts === '' ? {} : { ts }), type: 'ADDED', object });
  };
  const replayed = (line: string) => sharedCli(['replay', '--config-file', config, file('late.jsonl', `${line}\n`)]);
  assert.match(
    oneSentence(await replayed(event(last)), 1),
    /ts is "\+275760-09-13T00:00:00\.000Z", which is not a time/,
  );
  assert.match(oneSentence(await replayed(event('', { creationTimestamp: last })), 1), /its object names no time/);
  for (const deletionGracePeriodSeconds of [-1e308, 1e308])
    assert.equal(
      newestTime({ metadata: { deletionTimestamp: '2026-11-21T06:20:40Z', deletionGracePeriodSeconds } }),
      undefined,
    );
  const good = await replayed(event('9999-12-31T23:59:59.999Z'));
  assert.deepEqual([good.code, good.stderr], [0, '']);
});
