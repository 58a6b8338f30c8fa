import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorkloadReducer } from '../../../src/restart/recording/reduceWorkload.ts';
import { normalPauseOf } from '../../../src/restart/references/normalPause.ts';
import { readWorkload } from '../../../src/restart/references/workloadSummary.ts';
import { workloadObject } from '../../support/objects/workloadObjects.ts';

/** The pause in seconds for this spec and pod spec. */
function pauseOf(spec: Readonly<Record<string, unknown>>, podSpec: object = {}): number {
  return normalPauseOf(spec, { spec: podSpec }) / 1_000;
}

const containers = (...all: readonly object[]) => ({ containers: all });
const startup = (failureThreshold: number) => ({ startupProbe: { periodSeconds: 10, failureThreshold } });

test('a spec without probes, with the default grace period, adds nothing', () => {
  assert.equal(pauseOf({}), 0);
  assert.equal(pauseOf({}, { ...containers({ name: 'main' }), terminationGracePeriodSeconds: 30 }), 0);
});

test('a new pod takes its start-up and minReadySeconds, and an old one its grace period: the longer of both counts', () => {
  assert.equal(pauseOf({ minReadySeconds: 120 }), 120);
  assert.equal(pauseOf({ minReadySeconds: 120 }, containers(startup(6))), 180);
  assert.equal(pauseOf({}, { terminationGracePeriodSeconds: 630 }), 600);
  assert.equal(pauseOf({ minReadySeconds: 120 }, { terminationGracePeriodSeconds: 630 }), 600);
  assert.equal(pauseOf({ minReadySeconds: 700 }, { terminationGracePeriodSeconds: 630 }), 700);
});

test('containers start together, after the sidecars, which start one after the other', () => {
  assert.equal(pauseOf({}, containers(startup(6), startup(30), {})), 300);
  assert.equal(pauseOf({}, { initContainers: [startup(3), {}, startup(4)], ...containers(startup(6)) }), 130);
});

test('a readiness probe follows the startup probe, and the first check of a liveness probe is not before the container runs', () => {
  const readinessProbe = { initialDelaySeconds: 20, periodSeconds: 5, failureThreshold: 3, successThreshold: 1 };
  assert.equal(pauseOf({}, containers({ readinessProbe })), 35);
  assert.equal(pauseOf({}, containers({ readinessProbe: { ...readinessProbe, successThreshold: 10 } })), 70);
  assert.equal(pauseOf({}, containers({ ...startup(6), readinessProbe })), 95);
  assert.equal(pauseOf({}, containers({ livenessProbe: { initialDelaySeconds: 240 }, readinessProbe })), 240);
  assert.equal(pauseOf({}, containers({ livenessProbe: { periodSeconds: 60 } })), 0);
});

test('the defaults of a probe are those of Kubernetes, and what is no number or negative counts as not set', () => {
  assert.equal(pauseOf({}, containers({ readinessProbe: {} })), 30);
  assert.equal(pauseOf({ minReadySeconds: '120' }, { containers: 'none', terminationGracePeriodSeconds: -1 }), 0);
});

test('a recording has what the pause is read from, and one without it means no pause', () => {
  const reduce = createWorkloadReducer(Buffer.alloc(32));
  const slow = { initContainers: [startup(3)], ...containers({ ...startup(6), readinessProbe: {} }) };
  for (const podSpec of [slow, { terminationGracePeriodSeconds: 900 }]) {
    const object = workloadObject('Deployment', { spec: { minReadySeconds: 20, template: { spec: podSpec } } });
    const pause = readWorkload(object, 'Deployment')?.normalPause;
    assert.ok(pause !== undefined && pause > 100_000);
    assert.equal(readWorkload(reduce(object, 'Deployment'), 'Deployment')?.normalPause, pause);
  }
  assert.equal(readWorkload(workloadObject('Deployment'), 'Deployment')?.normalPause, 0);
});
