import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { temporaryFile } from '../support/cluster.ts';
import { eventsOf } from '../support/events.ts';
import { startRequestProxy } from '../support/plane/requestProxy.ts';
import { managed, suiteDeploymentScene } from '../support/restart/deploymentScene.ts';
import { setRestartScene } from '../support/restart/restartScene.ts';
import { closedWindow } from '../support/windows.ts';

const main = { name: 'main', image: 'registry.invalid/web:1' };
const optIn = 'weeder.dev/restart-on-change';
const pausedUntil = 'weeder.dev/paused-until';
const alsoDependsOn = 'weeder.dev/also-depends-on';
const skip = 'weeder.dev/skip-hash-calculation';
const stateAnnotation = 'weeder.dev/dependencies';
/** The labels of a Deployment that no rule matches. */
const unmatched: Record<string, string> = {};

function using(name: string): object {
  return { containers: [{ ...main, envFrom: [{ configMapRef: { name } }] }] };
}

suite('unreadable annotations, and references to missing objects', { concurrency: 8 }, () => {
  const scene = suiteDeploymentScene('bad-input');

  /** Creates a Deployment with these annotations, and changes its ConfigMap. `warnings` returns its Warnings. */
  async function changedWith(name: string, annotations: Readonly<Record<string, string>>) {
    const { make, change, deploy, caughtUp } = scene();
    await make('configmaps', name, { data: { a: '1' } });
    const web = await deploy(name, using(name), { annotations });
    const before = await web.uids();
    await change('configmaps', name, { data: { a: '2' } });
    await caughtUp();
    return { web, before, warnings: () => warningsOf(name) };
  }

  async function warningsOf(name: string): Promise<string[]> {
    const events = await eventsOf(scene().ns, `involvedObject.name=${name}`, 'type=Warning');
    return events.map(({ reason, message }) => `${reason}: ${message}`);
  }

  for (const [index, text] of ['tomorrow', '2026-11-21T18:00:00'].entries()) {
    test(`a pause until ${JSON.stringify(text)} is reported, and blocks the restart; corrected, it is one rollout`, async () => {
      const { web, before, warnings } = await changedWith(`paused-${index}`, { [pausedUntil]: text });
      await web.reported('AnnotationUnreadable', /paused-until cannot be read: it is not a time/);
      await web.reported(
        'RestartBlocked',
        /^It is not restarted: its annotation weeder.dev\/paused-until is not a time: write one/,
      );
      assert.deepEqual([await web.rollouts(), await web.uids(), (await warnings()).length], [0, before, 2]);
      await web.patch({ metadata: { annotations: { [pausedUntil]: '2026-01-01T00:00:00Z' } } });
      await web.restarted(1);
      assert.deepEqual((await web.content())?.env, { a: '2' });
      assert.equal((await warnings()).length, 2);
    });
  }

  test('an unreadable dependency is reported, and blocks the restart until it is corrected', async () => {
    const { web, before, warnings } = await changedWith('depends', { [alsoDependsOn]: 'deployment/shop/web' });
    await web.reported(
      'AnnotationUnreadable',
      /also-depends-on .*"deployment\/shop\/web": expected configmap\/NAMESPACE/,
    );
    await web.reported('RestartBlocked', /also-depends-on contains "deployment\/shop\/web"/);
    assert.deepEqual([await web.rollouts(), await web.uids(), (await warnings()).length], [0, before, 2]);
    await web.patch({ metadata: { annotations: { [alsoDependsOn]: null } } });
    await web.restarted(1);
    assert.equal((await warnings()).length, 2);
  });

  test('a dependency on a ConfigMap that does not exist blocks the restart, in one Event that names it', async () => {
    const { make, change, create, caughtUp } = scene();
    await make('configmaps', 'depends-on', { data: { a: '1' } });
    const annotations = { [alsoDependsOn]: 'configmap/missing' };
    const web = await create('depends-on', using('depends-on'), { annotations });
    await web.reported('RestartBlocked', /ConfigMap .*\/missing is missing/);
    await change('configmaps', 'depends-on', { data: { a: '2' } });
    await caughtUp();
    assert.deepEqual([await web.rollouts(), (await warningsOf('depends-on')).length], [0, 1]);
    await make('configmaps', 'missing', { data: { a: '1' } });
    await web.current();
    await change('configmaps', 'missing', { data: { a: '2' } });
    await web.restarted(1);
  });

  test('an unreadable opt-out excludes the whole source, and is reported on the workload', async () => {
    const { make, change, deploy, caughtUp } = scene();
    await make('configmaps', 'opted', { data: { a: '1' } }, { [skip]: 'a,not a key' });
    const web = await deploy('opted', using('opted'));
    await change('configmaps', 'opted', { data: { a: '2' } });
    await caughtUp();
    await web.reported(
      'AnnotationUnreadable',
      /skip-hash-calculation of ConfigMap opted .*"not a key" is not a valid name of a key/,
    );
    assert.deepEqual([await web.rollouts(), (await warningsOf('opted')).length], [0, 1]);
    await change('configmaps', 'opted', { metadata: { annotations: { [skip]: null } } });
    await caughtUp();
    assert.equal(await web.rollouts(), 0);
    await change('configmaps', 'opted', { data: { a: '3' } });
    await web.restarted(1);
  });

  test('an unreadable opt-in is reported once and ignored: the rules decide', async () => {
    const { make, change, create, deploy, caughtUp } = scene();
    await make('configmaps', 'opt-in', { data: { a: '1' } });
    const annotations = { [optIn]: 'yes' };
    const matched = await deploy('opt-in', using('opt-in'), { annotations, labels: managed });
    const other = await create('opt-in-other', using('opt-in'), { annotations, labels: unmatched });
    await change('configmaps', 'opt-in', { data: { a: '2' } });
    await matched.restarted(1);
    await caughtUp();
    assert.deepEqual([await matched.rollouts(), await other.rollouts(), await other.state()], [1, 0, undefined]);
    for (const web of [matched, other]) {
      await web.reported(
        'AnnotationUnreadable',
        /restart-on-change cannot be read: its value is "yes", expected "true" or/,
      );
      assert.equal((await warningsOf(web.name)).length, 1);
    }
  });

  for (const [name, title, text] of [
    ['damaged', 'damaged', 'not a state'],
    ['of-later', 'of a later version', '{"version":99}'],
  ] as const) {
    test(`a state that is ${title} is reported, written again, and restarts nothing; the next change does`, async () => {
      const { make, change, deploy, caughtUp } = scene();
      await make('configmaps', name, { data: { a: '1' } });
      const web = await deploy(name, using(name));
      const before = await web.current();
      await web.patch({ metadata: { annotations: { [stateAnnotation]: text } } });
      await web.reported(
        'AnnotationUnreadable',
        /weeder.dev\/dependencies cannot be read: it is damaged, or from another/,
      );
      assert.deepEqual((await web.current()).rolledOut, before.rolledOut);
      await caughtUp();
      assert.deepEqual([await web.rollouts(), (await warningsOf(name)).length], [0, 1]);
      await change('configmaps', name, { data: { a: '2' } });
      await web.restarted(1);
    });
  }
});

suite('an unusable section of the config', { concurrency: true }, () => {
  const unknownZone = [{ cron: '0 2 * * *', timeZone: 'Mars/Base', duration: '1h' }];
  const impossible = [{ cron: '0 0 31 2 *', duration: '1h' }];

  test('with unknown time zones or windows that never open, weeder exits at the start, and writes nothing', async (t) => {
    const scene = await setRestartScene(t, 'refused');
    const { kubeconfig, requests } = await startRequestProxy(t, scene.ns.cluster, () => undefined);
    const config = scene.config({ rules: [{ maintenanceWindows: unknownZone }, { maintenanceWindows: impossible }] });
    const weeder = scene.begin(t, { config, kubeconfig, expects: { exit: true, errorLines: /./, stderr: /./ } });
    const { code } = await weeder.exited;
    const text = `${weeder.stderr()} ${JSON.stringify(weeder.log.lines)}`;
    assert.notEqual(code, 0);
    assert.match(text, /Mars\/Base/);
    assert.match(text, /0 0 31 2 \*|never opens/);
    assert.deepEqual(requests, []);
  });

  test('an unusable section that is written while weeder runs is rejected, and the previous one stays in force', async (t) => {
    const scene = await setRestartScene(t, 'reloaded');
    const file = temporaryFile('reloaded.yaml');
    // Replaces the file atomically, because a partly written file would be rejected for another reason.
    const write = (config: object) => {
      writeFileSync(`${file}.new`, JSON.stringify(config));
      renameSync(`${file}.new`, file);
    };
    write(scene.config());
    await scene.put('web', { word: 'one' });
    await scene.make('Deployment', 'web', { spec: { replicas: 1 } });
    const flags = [`--config-file=${file}`];
    const weeder = await scene.start(t, { flags, expects: { errorLines: /config rejected/ } });
    await scene.untilAdopted('Deployment', 'web');
    write(scene.config({ rules: [{ maintenanceWindows: unknownZone }] }));
    const line = await weeder.log.until('config rejected, previous config stays in force');
    assert.match(JSON.stringify(line['errors']), /Mars\/Base/);
    await scene.put('web', { word: 'two' });
    await scene.untilDone('Deployment', 'web', 1);
    write(scene.config({ rules: [{ maintenanceWindows: [closedWindow()] }] }));
    await weeder.log.until('config applied');
    await scene.put('web', { word: 'three' });
    await weeder.log.until('restart pending', { cause: 'window' });
    assert.equal(await scene.rollouts('Deployment', 'web'), 1);
  });
});
