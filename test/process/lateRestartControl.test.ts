import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@weeder/kube-runtime/testing';
import type { Config } from '../../src/config/config.ts';
import { codeOf } from '../../src/controllers/code.ts';
import { contributions } from '../../src/controllers/controllers.ts';
import { createController } from '../../src/controllers/createControllers.ts';
import { restartConfig } from '../support/objects/restartSettings.ts';
import { controllerContext } from '../support/world/controllerContext.ts';

const nothing: Config = { services: new Map(), restart: undefined };
const configured: Config = { services: new Map(), restart: restartConfig() };

function part(config = nothing) {
  const changes: string[][] = [];
  const onStreamsChanged = () => void changes.push([...controller.needs.keys()]);
  const code = codeOf(() => contributions.restart.load(undefined));
  const context = controllerContext({ config, onStreamsChanged });
  const controller = createController(contributions.restart, context, code, (create, its) =>
    create(its, { ownNamespace: 'weeder' }, () => {}),
  );
  return { controller, changes };
}

test('without its section restart control needs no stream, has no actor, and drains immediately', async () => {
  const { controller, changes } = part();
  controller.start();
  controller.configure(nothing);
  await controller.drained();
  assert.deepEqual(
    [controller.needs.size, [...controller.actors()], controller.shown(), changes],
    [0, [], undefined, []],
  );
});

test('with its section, added while weeder runs, it opens its streams; without it again they are closed', async () => {
  const { controller, changes } = part();
  controller.start();
  controller.configure(configured);
  await until('it is loaded', () => changes.length > 0);
  assert.ok(changes[0]?.includes('configmaps') && changes[0].includes('deployments'), String(changes[0]));
  controller.configure(nothing);
  assert.equal(controller.needs.size, 0);
  controller.stop();
});

test('with its section from the beginning, as after a reload and a lost leadership, it opens its streams', async () => {
  const { controller, changes } = part(configured);
  controller.start();
  await until('it is loaded', () => changes.length > 0);
  assert.ok(controller.needs.has('configmaps'));
  controller.stop();
});

test('if it is stopped while it loads, it opens no stream', async () => {
  const { controller, changes } = part();
  controller.start();
  controller.configure(configured);
  controller.stop();
  await import('../../src/restart/restartController.ts');
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([controller.needs.size, changes], [0, []]);
});
