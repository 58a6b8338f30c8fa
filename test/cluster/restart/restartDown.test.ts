import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { suiteCleanup } from '../support/cleanup.ts';
import type { Deployed } from '../support/deploy/deployment.ts';
import { type DowntimeCase, downtimeCases, using } from '../support/downtimeCases.ts';
import { type DeploymentScene, setDeploymentScene } from '../support/restart/deploymentScene.ts';

suite('changes made while no weeder runs', { concurrency: 10 }, () => {
  const t = suiteCleanup();
  const workloads = new Map<string, Deployed>();
  let scene: DeploymentScene | undefined;

  function shared(): DeploymentScene {
    assert(scene, 'the scene is created before the first test of the suite');
    return scene;
  }

  function workload({ name }: DowntimeCase): Deployed {
    const web = workloads.get(name);
    assert(web, name);
    return web;
  }

  // The cases share one downtime of weeder.
  before(async () => {
    const set = await setDeploymentScene(t, 'down');
    scene = set;
    const first = await set.start(t);
    const prepare = async (downtimeCase: DowntimeCase) => {
      const { name, pod = using(name), annotations = {} } = downtimeCase;
      await set.make('configmaps', name, { data: { a: '1', b: '1' } });
      const web = await set.deploy(name, pod, { annotations });
      workloads.set(name, web);
      await downtimeCase.before?.(set, web);
    };
    await Promise.all(downtimeCases.map(prepare));
    await first.kill();
    await Promise.all(downtimeCases.map((each) => each.meanwhile(set, workload(each))));
    await set.start(t);
  });

  for (const downtimeCase of downtimeCases) {
    test(downtimeCase.title, async () => {
      const web = workload(downtimeCase);
      if (downtimeCase.rollouts > 0) await web.restarted(downtimeCase.rollouts);
      await shared().caughtUp();
      assert.equal(await web.rollouts(), downtimeCase.rollouts);
      for (const { env } of await web.contents()) assert.deepEqual(env, downtimeCase.env);
      await downtimeCase.afterwards?.(shared(), web);
    });
  }
});
