import assert from 'node:assert/strict';
import { test } from 'node:test';
import { virtualClock } from '@weeder/kube-runtime/testing';
import type { Span } from '../../../src/controller/report/span.ts';
import { traceWeeder } from '../../../src/weeder/contribution/traceWeeder.ts';
import type { DeletionAnswer } from '../../../src/weeder/deletions/deletePod.ts';
import { backOff } from '../../support/objects/objects.ts';
import { spanLines } from '../../support/otlp/spanLines.ts';
import { minute, type SimulationOptions } from '../../support/world/simulation.ts';
import { type World, world } from '../../support/world/world.ts';

const up = { ready: [true] };
const down = { ready: [false] };
const second = 1_000;
const refused: DeletionAnswer = { type: 'delete.failed', reason: '500: etcd is slow' };

/** A simulated weeder, and the traces of what it does. */
function traced(options: SimulationOptions = {}, maxKept?: number) {
  const clock = virtualClock();
  const began = clock.now();
  const trace = traceWeeder(maxKept);
  const traces: Span[] = [];
  const at = world({
    ...options,
    clock,
    report(event) {
      const ended = trace(event, clock.now());
      if (ended !== undefined) traces.push(ended);
    },
  });
  return { at, traces, lines: () => traces.flatMap((each) => spanLines(each, began)) };
}

/** The service is ready for longer than a window, then down for 30 seconds, and ready again. */
async function outage({ clock, slice }: World, during: () => void = () => {}): Promise<void> {
  slice(up);
  await clock.pass(3 * minute);
  slice(down);
  during();
  await clock.pass(30 * second);
  slice(up);
}

test('a recovery is one trace: the outage, the window, and what it did for each pod', async () => {
  const answers = [refused];
  const { at, traces, lines } = traced({ answer: (request) => answers.shift() ?? at.answerTo(request) });
  await outage(at, () => {
    at.put({ name: 'a', containers: [backOff()] });
    at.put({ name: 'b', containers: [backOff()], annotations: { 'weeder.dev/ignore': 'true' } });
  });
  await at.clock.pass(10 * second);
  at.put({ name: 'c', containers: [backOff()] });
  await at.clock.pass(5 * minute);
  assert.deepEqual(lines().slice(2), [
    'recovery 180..330',
    '  outage 180..210',
    '  window 210..330',
    '    delete pod 210..210 b skipped 0',
    '    delete pod 210..210.15 a deleted 2',
    '      @210 deletion.refused',
    '    delete pod 210..220 c deleted 1',
  ]);
  const [, recovery] = traces;
  const [, window] = recovery?.children ?? [];
  assert.deepEqual(
    { ...recovery?.attributes },
    {
      ...{ 'k8s.namespace.name': 'shoot-1', 'k8s.service.name': 'etcd-main-client', 'k8s.service.uid': undefined },
      ...{ 'weeder.window': 2, 'weeder.window.because': undefined, 'weeder.window.replaced': undefined },
      ...{ 'weeder.window.handed_over_to': undefined, 'weeder.objects.retried': undefined },
      ...{
        'weeder.pods.deleted': 2,
        'weeder.pods.skipped': 1,
        'weeder.pods.failed': 0,
        'weeder.not_traced': undefined,
      },
    },
  );
  const {
    'k8s.pod.uid': uid,
    'k8s.container.name': container,
    'k8s.namespace.name': namespace,
  } = window?.children[1]?.attributes ?? {};
  assert.deepEqual([typeof uid, container, namespace], ['string', 'main-0', 'shoot-1']);
});

test('without an observed outage, the trace begins with the window', async () => {
  const { at, lines } = traced();
  at.slice(up);
  await at.clock.pass(5 * minute);
  assert.deepEqual(lines(), ['recovery 0..120', '  window 0..120']);
});

test('a window that a second outage interrupts says so, and each recovery has its own trace', async () => {
  const { at, lines } = traced();
  at.slice(up);
  await at.clock.pass(10 * second);
  at.slice(down);
  at.put({ name: 'a', containers: [backOff()] });
  await at.clock.pass(10 * second);
  at.slice(up);
  await at.clock.pass(5 * minute);
  assert.deepEqual(lines(), [
    'recovery 0..20',
    '  window 0..20',
    '    @10 service.notReady',
    'recovery 10..140',
    '  outage 10..20',
    '  window 20..140',
    '    delete pod 20..20 a deleted 1',
  ]);
});

test('a deletion that fails is an error of its span, the window and the recovery, with the reason', async () => {
  const { at, traces } = traced({ answer: () => refused });
  at.put({ name: 'a', containers: [backOff()] });
  at.slice(up);
  await at.clock.pass(5 * minute);
  const [recovery] = traces;
  const [window] = recovery?.children ?? [];
  const [deletion] = window?.children ?? [];
  assert.deepEqual([recovery?.problem, window?.problem], ['1 not deleted', '1 not deleted']);
  assert.match(deletion?.problem ?? '', /500: etcd is slow/);
  assert.equal(deletion?.attributes['weeder.result'], 'failed');
  assert.equal(deletion?.attributes['error.type'], 'other');
});

test('a dry run says so', async () => {
  const { at, lines } = traced({ isDryRun: true });
  at.put({ name: 'a', containers: [backOff()] });
  at.slice(up);
  await at.clock.pass(5 * minute);
  assert.match(lines().at(-1) ?? '', /delete pod 0\.\.0 a dry_run 1/);
});

test('at most so many windows and pods are kept: further pods are counted, and further windows left out', async () => {
  const { at, traces } = traced({}, 2);
  for (const name of ['a', 'b', 'c']) at.put({ name, containers: [backOff()] });
  at.slice(up);
  await at.clock.pass(5 * minute);
  at.slice(down);
  await at.clock.pass(second);
  at.slice(up);
  await at.clock.pass(5 * minute);
  const windows = traces.map(({ children }) => children.at(-1));
  assert.deepEqual(
    windows.map((each) => [each?.children.length, each?.attributes['weeder.not_traced']]),
    [
      [1, 2],
      [0, undefined],
    ],
  );
  const none = traced({}, 0);
  none.at.slice(up);
  await none.at.clock.pass(5 * minute);
  assert.deepEqual(none.lines(), []);
});

test('each outage counts from its own beginning, and what was kept of the one before is forgotten', async () => {
  const { at, traces } = traced({}, 2);
  at.slice(up);
  for (let round = 1; round <= 4; round += 1)
    await outage(at, () => at.put({ name: `pod-${round}`, containers: [backOff()] }));
  await at.clock.pass(5 * minute);
  const shapes = traces
    .slice(1)
    .map(({ children: [first, window] }) => [
      first?.name,
      (first?.end ?? 0) - (first?.start ?? 0),
      window?.children.map(({ name }) => name),
    ]);
  assert.deepEqual(shapes, Array(4).fill(['outage', 30 * second, ['delete pod']]));
});
