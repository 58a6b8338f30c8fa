import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { objectOf } from '../../src/json.ts';
import { eventually } from './support/cluster.ts';
import type { RestartScene } from './support/restartScene.ts';
import { suiteRestartScene } from './support/restartSuite.ts';
import { specOf } from './support/restartWishes.ts';
import { healthy } from './support/rolledOut.ts';

async function uidsOf(scene: RestartScene, name: string): Promise<string[]> {
  return (await scene.pods(name)).map(({ metadata }) => metadata.uid).sort();
}

/** An operator that writes the whole object as it wants it: what others have written is gone, annotations and all. */
async function putWhole(scene: RestartScene, name: string): Promise<void> {
  const path = scene.ns.path('apis/apps/v1', 'deployments', name);
  const body = { metadata: { name }, spec: specOf('Deployment', name, scene.ns, {}) };
  const answer = await scene.ns.cluster.send('PUT', path, { body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}

suite('operators and tools that write a workload as they want it', { concurrency: true }, () => {
  const given = suiteRestartScene('operators', { program: () => ({ ...healthy, readyAfter: 700 }) });

  async function adopted(name: string) {
    const { scene, weeder } = given();
    await scene.put(name, { word: 'one' });
    await scene.make('Deployment', name);
    await scene.untilAdopted('Deployment', name);
    return { scene, weeder, uids: await uidsOf(scene, name) };
  }

  test('PUT whole object in the quiet period', async () => {
    const { scene, weeder, uids } = await adopted('quiet');
    await scene.put('quiet', { word: 'two' });
    await weeder.log.until('what the workload uses has changed', { workload: 'deployment/quiet' });
    await putWhole(scene, 'quiet');
    await pause(4_000);
    console.log(uids, await uidsOf(scene, 'quiet'), await scene.rollouts('Deployment', 'quiet'), JSON.stringify(await scene.facts('Deployment','quiet')));
    for (const l of weeder.log.lines.filter((x) => x['workload'] === 'deployment/quiet')) console.log(l.time, l.msg, JSON.stringify(l));
  });
});
