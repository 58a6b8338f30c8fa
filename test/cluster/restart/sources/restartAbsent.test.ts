import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type DeploymentScene, suiteDeploymentScene } from '../../support/restart/deploymentScene.ts';

const main = { name: 'main', image: 'registry.invalid/web:1' };

/** A pod spec with one key of a ConfigMap as a variable. */
function using(name: string, optional = false): object {
  const configMapKeyRef = { name, key: 'a', ...(optional ? { optional } : {}) };
  return { containers: [{ ...main, env: [{ name: 'A', valueFrom: { configMapKeyRef } }] }] };
}

function mounting(name: string): object {
  return {
    containers: [{ ...main, volumeMounts: [{ name: 'files', mountPath: '/files' }] }],
    volumes: [{ name: 'files', configMap: { name } }],
  };
}

async function replaced({ make, remove }: DeploymentScene, name: string, content: object): Promise<void> {
  await remove('configmaps', name);
  await make('configmaps', name, content);
}

suite('sources that are deleted, and those that were recreated', { concurrency: 8 }, () => {
  const scene = suiteDeploymentScene('absent');

  test('a required key that appears while the pods wait for it restarts nothing', async () => {
    const { make, change, create, caughtUp } = scene();
    await make('configmaps', 'keyless', { data: { b: '1' } });
    const web = await create('keyless', using('keyless'));
    await web.reported('RestartBlocked', /keyless without its key a is missing/);
    await change('configmaps', 'keyless', { data: { a: '1' } });
    await web.current();
    await caughtUp();
    assert.deepEqual([await web.rollouts(), (await web.content())?.env], [0, { A: '1' }]);
  });

  test('a recreated immutable source is reported, and never counts as rolled out; a new name resolves it', async () => {
    const { make, deploy, caughtUp } = scene();
    await make('configmaps', 'fixed', { data: { a: '1' }, immutable: true });
    const web = await deploy('fixed', using('fixed'));
    const state = await web.current();
    await replaced(scene(), 'fixed', { data: { a: '2' }, immutable: true });
    await web.reported('RestartBlocked', /fixed is immutable and was recreated.*give new content a new name/);
    await caughtUp();
    assert.equal(await web.rollouts(), 0);
    assert.deepEqual((await web.state())?.rolledOut, state.rolledOut);
    await make('configmaps', 'fixed-2', { data: { a: '2' }, immutable: true });
    await web.patch({ spec: { template: { spec: using('fixed-2') } } });
    await web.restarted(1);
    await caughtUp();
    assert.deepEqual([await web.rollouts(), (await web.content())?.env], [1, { A: '2' }]);
  });

  test('a key that moves to binaryData is deleted for a variable, and the same for a volume', async () => {
    const { make, change, deploy, caughtUp } = scene();
    await make('configmaps', 'moved', { data: { a: '1' } });
    const [variable, optional, volume] = [
      await deploy('moved-variable', using('moved')),
      await deploy('moved-optional', using('moved', true)),
      await deploy('moved-volume', mounting('moved')),
    ];
    await change('configmaps', 'moved', { data: { a: null }, binaryData: { a: Buffer.from('1').toString('base64') } });
    await variable.reported('RestartBlocked', /moved without its key a is missing/);
    await optional.restarted(1);
    await caughtUp();
    assert.deepEqual([await variable.rollouts(), await optional.rollouts(), await volume.rollouts()], [0, 1, 0]);
    assert.deepEqual((await optional.content())?.env, {});
  });

  test('for a Secret, stringData and data with the same content make no difference', async () => {
    const { make, change, deploy, caughtUp } = scene();
    await make('secrets', 'written', { stringData: { a: '1' } });
    const envFrom = [{ secretRef: { name: 'written' } }];
    const web = await deploy('written', { containers: [{ ...main, envFrom }] });
    await change('secrets', 'written', { data: { a: Buffer.from('1').toString('base64') } });
    await change('secrets', 'written', { stringData: { a: '1' } });
    await caughtUp();
    assert.equal(await web.rollouts(), 0);
    await change('secrets', 'written', { stringData: { a: '2' } });
    await web.restarted(1);
  });
});
