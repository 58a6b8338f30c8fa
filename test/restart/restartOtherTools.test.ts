import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RestartEvent } from '../../src/restart/references/events.ts';
import { createAnnotationReporter } from '../../src/restart/workload/reportAnnotations.ts';
import { restartConfig } from '../support/objects/restartSettings.ts';
import { template, workloadSummary } from '../support/objects/workloadObjects.ts';
import { restartWorld, withEnv } from '../support/world/restartWorld.ts';

const auto = 'reloader.stakater.com/auto';
const wave = 'wave.pusher.com/update-on-config-change';
const second = 1_000;

function toolOf(annotations: object, inTemplate: object = {}) {
  const podTemplate = { ...template, metadata: { ...template.metadata, annotations: inTemplate } };
  return workloadSummary('Deployment', { annotations, template: podTemplate }).otherTool;
}

test('each annotation by which Reloader or wave restarts a workload is found, also in the pod template', () => {
  for (const [annotation, value] of [
    [auto, 'true'],
    [auto, 'T'],
    ['reloader.stakater.com/search', 'true'],
    ['configmap.reloader.stakater.com/auto', 'true'],
    ['secret.reloader.stakater.com/auto', 'true'],
    ['configmap.reloader.stakater.com/reload', 'a,b'],
    ['secret.reloader.stakater.com/reload', 'a'],
    [wave, 'true'],
  ] as const) {
    const annotations = { [annotation]: value };
    assert.deepEqual(toolOf(annotations), { annotation, isInTemplate: false, means: true });
    assert.deepEqual(toolOf({}, annotations), { annotation, isInTemplate: true, means: true });
  }
});

test('an opt-out is found, and an opt-in takes precedence over it', () => {
  assert.deepEqual(toolOf({ [auto]: 'false' }), { annotation: auto, isInTemplate: false, means: false });
  const both = { [auto]: 'false', 'secret.reloader.stakater.com/reload': 'a' };
  assert.equal(toolOf(both)?.annotation, 'secret.reloader.stakater.com/reload');
});

test('what the tools write themselves, what is not in force, and other annotations are not reported', () => {
  assert.equal(toolOf({ 'wave.pusher.com/config-hash': 'abc', [wave]: 'false' }), undefined);
  assert.equal(toolOf({}, { 'reloader.stakater.com/last-reloaded-from': '{}' }), undefined);
  assert.equal(toolOf({ 'configmap.reloader.stakater.com/reload': ' ', 'example.org/auto': 'true' }), undefined);
});

test('a workload with weeder’s own annotation in force is not reported, and one with a misspelt one is', () => {
  for (const value of ['true', 'false'])
    assert.equal(toolOf({ [auto]: 'true', 'weeder.dev/restart-on-change': value }), undefined);
  assert.notEqual(toolOf({ [auto]: 'true', 'weeder.dev/restart-on-change': 'yes' }), undefined);
});

test('the annotation is reported once for each workload, managed or not', async () => {
  for (const config of [restartConfig(), restartConfig({ rules: [] })]) {
    const world = await restartWorld(config);
    for (const name of ['web', 'api'])
      world.putWorkload(name, withEnv('settings', 'a'), { annotations: { [auto]: '1' } });
    world.putWorkload('plain', withEnv('settings', 'a'));
    await world.pass(10 * second);
    world.annotate('web', { note: 'another' });
    await world.pass(60 * second);
    const events = world.eventsOf('annotation.ofOtherTool');
    assert.deepEqual(
      events.map(({ workload, annotation, isLast }) => [workload.name, annotation, isLast]),
      [
        ['web', auto, false],
        ['api', auto, false],
      ],
    );
  }
});

test('the log has the first fifty workloads, and says so', () => {
  const events: RestartEvent[] = [];
  const reporter = createAnnotationReporter({ report: (event) => void events.push(event), metaOf: () => undefined });
  for (let index = 0; index < 60; index += 1) {
    const summary = workloadSummary('Deployment', {
      metadata: { name: `web-${index}` },
      annotations: { [auto]: 'true' },
    });
    reporter.report(summary, undefined);
  }
  const isLast = events.map((event) => event.type === 'annotation.ofOtherTool' && event.isLast);
  assert.deepEqual([isLast.length, isLast.indexOf(true)], [50, 49]);
});
