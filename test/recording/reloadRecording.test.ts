import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Config, ServiceConfig } from '../../src/config/config.ts';
import { openRecorder } from '../../src/recording/recorder.ts';
import { limitationsOf } from '../../src/replay/limitations.ts';
import { readRecording } from '../../src/replay/recorded/recordingFile.ts';
import { replayRecording } from '../../src/replay/replayRecording.ts';
import { replayWhatIf } from '../../src/replay/whatIf.ts';
import { backOff, pod, slice } from '../support/objects/objects.ts';
import { recordedWeeder, recordingOf } from '../support/recording/recording.ts';
import { serviceConfig } from '../support/world/simulation.ts';
import { weederOptions } from '../support/world/weederOptions.ts';

function configOf(...services: readonly Partial<ServiceConfig>[]): Config {
  return { services: new Map(services.map(serviceConfig).map((each) => [each.name, each])), restart: undefined };
}

const role = (name: string) => ({ matchLabels: { role: name } });
const first = configOf({ name: 'db' });
const second = configOf({ name: 'db', watchDuration: 60_000 }, { name: 'cache', podSelectors: [role('worker')] });

/**
 * Records a reload in an open window: another duration, and another service that recovers afterwards. `isListStale`: the
 * first list of the new stream is from before the recovery of `db`.
 */
async function recordReload(file: string, { isListStale = false } = {}): Promise<void> {
  const base = recordingOf(file);
  const { clock } = base;
  const opened = await openRecorder({ ...base, config: first });
  assert.ok(opened.ok);
  const recorder = opened.value;
  const weeder = recordedWeeder(
    recorder,
    weederOptions(first, clock, {
      readySince: async () => 0,
    }),
  );
  const sinkOf = (name: string) => {
    const sink = weeder.needs.get(name)?.sink;
    assert.ok(sink, `there is no stream ${name}`);
    return sink;
  };
  const list = (name: string, ...objects: readonly ReturnType<typeof slice | typeof pod>[]) => {
    sinkOf(name).begin();
    for (const object of objects) sinkOf(name).apply('ADDED', object);
    sinkOf(name).end(objects.at(-1)?.metadata.resourceVersion);
  };
  const cache = (ready: boolean) => slice({ service: 'cache', ready: [ready] });
  const [down, found] = [slice({ service: 'db', ready: [false] }), cache(true)];
  const up = slice({ service: 'db' });
  list('endpointslices', down);
  list('pods role=apiserver');
  weeder.start();
  await clock.pass(1000);
  sinkOf('endpointslices').apply('MODIFIED', up);
  await clock.pass(10_000);
  weeder.configure(second);
  list('pods role=worker', pod({ name: 'worker-0', labels: { role: 'worker' }, containers: [backOff()] }));
  list('endpointslices 2', isListStale ? down : up, found);
  if (isListStale) sinkOf('endpointslices 2').apply('MODIFIED', up);
  await clock.pass(1000);
  sinkOf('endpointslices 2').apply('MODIFIED', cache(false));
  await clock.pass(1000);
  sinkOf('endpointslices 2').apply('MODIFIED', cache(true));
  await clock.pass(300_000);
  weeder.stop();
  await recorder.close();
}

function linesOf(file: string) {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line, index) => ({ file, line: index + 1, value: JSON.parse(line) }));
}

async function replayLines([header, ...rest]: ReturnType<typeof linesOf>) {
  assert.ok(header);
  const read = readRecording(header, rest);
  assert.ok(read.ok, JSON.stringify(read));
  return replayRecording(read.value);
}

test('a recording across a reload is replayed to the same decisions, and without its config line to others', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-reload-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'weeder.jsonl');
  await recordReload(file);
  const lines = linesOf(file);
  const whole = await replayLines(lines);
  const reported = (timed: typeof whole.replayed) =>
    timed.map(({ t: at, out, about, detail }) => `${at} ${out} ${about} ${detail}`);
  assert.deepEqual(reported(whole.replayed), reported(whole.recorded));
  const decisions = reported(whole.replayed).filter((each) => each.includes('window.') || each.includes('pod.deleted'));
  assert.deepEqual(decisions, [
    '1000 window.opened shoot-1/db 2m0s',
    '13000 window.opened shoot-1/cache 2m0s',
    '13000 pod.deleted shoot-1/cache delete, CrashLoopBackOff, restarts 3',
    '61000 window.closed shoot-1/db 0 deleted, 0 skipped, 0 failed',
    '133000 window.closed shoot-1/cache 1 deleted, 0 skipped, 0 failed',
  ]);
  const without = await replayLines(lines.filter(({ value }) => value.in !== 'config'));
  assert.notDeepEqual(reported(without.replayed), reported(without.recorded));
});

test('a list that is older than what the replaced stream delivered opens no window in the replay', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-reload-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'weeder.jsonl');
  await recordReload(file, { isListStale: true });
  const { recorded, replayed } = await replayLines(linesOf(file));
  const opened = (events: typeof recorded) =>
    events.filter(({ out }) => out === 'window.opened').map(({ t: at, about }) => `${at} ${about}`);
  assert.deepEqual(opened(recorded), ['1000 shoot-1/db', '13000 shoot-1/cache']);
  assert.deepEqual(opened(replayed), opened(recorded));
});

/** Records a pod that only the service `cache` selects, then a config without it, and two recoveries of `db`. */
async function recordRemoval(file: string): Promise<void> {
  const base = recordingOf(file);
  const { clock } = base;
  const opened = await openRecorder({ ...base, config: second });
  assert.ok(opened.ok);
  const recorder = opened.value;
  const weeder = recordedWeeder(
    recorder,
    weederOptions(second, clock, {
      readySince: async () => 0,
    }),
  );
  const worker = pod({ name: 'worker-0', labels: { role: 'worker' }, containers: [backOff()] });
  for (const { kind, labelSelector, sink } of weeder.needs.values()) {
    sink.begin();
    if (kind === 'EndpointSlice') sink.apply('ADDED', slice({ service: 'db', ready: [false] }));
    if (labelSelector === 'role=worker') sink.apply('ADDED', worker);
    sink.end('2000');
  }
  weeder.start();
  await clock.pass(1000);
  weeder.configure(first);
  weeder.needs.get('endpointslices 2')?.sink.begin();
  weeder.needs.get('endpointslices 2')?.sink.apply('ADDED', slice({ service: 'db', ready: [false] }));
  weeder.needs.get('endpointslices 2')?.sink.end('3000');
  for (const ready of [true, false, true]) {
    await clock.pass(10_000);
    weeder.needs.get('endpointslices 2')?.sink.apply('MODIFIED', slice({ service: 'db', ready: [ready] }));
  }
  await clock.pass(300_000);
  weeder.stop();
  await recorder.close();
}

test('a what-if replay ignores the pods of a stream that was closed, and reports that they were not watched all the time', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-reload-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'weeder.jsonl');
  await recordRemoval(file);
  const [header, ...lines] = linesOf(file);
  assert.ok(header);
  const given = configOf({ name: 'db', podSelectors: [role('worker')] });
  const whatIf = async (recorded: typeof lines) => {
    const read = readRecording(header, recorded);
    assert.ok(read.ok);
    const { deleted } = await replayWhatIf(read.value, given);
    return { deleted: deleted.map((each) => each.pod), unknown: limitationsOf(read.value, given) };
  };
  assert.deepEqual(await whatIf(lines), {
    deleted: [],
    unknown: ['pods role=worker were not watched all the time, because the config changed'],
  });
  const unchanged = lines
    .filter(({ value }) => value.in !== 'config')
    .map((line) => ({
      ...line,
      value: { ...line.value, ...(line.value.stream === 'endpointslices 2' ? { stream: 'endpointslices' } : {}) },
    }));
  assert.deepEqual(await whatIf(unchanged), { deleted: ['shoot-1/worker-0'], unknown: [] });
});

test('a recorded config that cannot be used is refused with its line', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-reload-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'weeder.jsonl');
  await recordReload(file);
  const [header] = linesOf(file);
  assert.ok(header);
  const value = { t: 1, of: 'weeder', in: 'config', config: { servicesAndDependantSelectors: 1 } };
  const read = readRecording(header, [{ file, line: 2, value }]);
  assert.ok(!read.ok);
  assert.match(read.error.message, /weeder\.jsonl:2.*its config cannot be used/);
});
