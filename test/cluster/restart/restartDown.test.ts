import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import type { Deployed } from '../support/deploy/deployment.ts';
import { downtimeStories, type Story, using } from '../support/downtimeStories.ts';
import { suiteCleanup } from '../support/plane/suiteCleanup.ts';
import { type Restarting, setRestarting } from '../support/restart/restarting.ts';

suite('changes made while no weeder runs', { concurrency: 10 }, () => {
  const t = suiteCleanup();
  const workloads = new Map<string, Deployed>();
  let scene: Restarting | undefined;

  function played(): Restarting {
    assert(scene, 'the scene of this suite is not there before its first test');
    return scene;
  }

  function workload({ name }: Story): Deployed {
    const web = workloads.get(name);
    assert(web, name);
    return web;
  }

  // All of them share one downtime of weeder.
  before(async () => {
    const set = await setRestarting(t, 'down');
    scene = set;
    const first = await set.weed(t);
    const prepare = async (story: Story) => {
      const { name, pod = using(name), annotations = {} } = story;
      await set.make('configmaps', name, { data: { a: '1', b: '1' } });
      const web = await set.deploy(name, pod, { annotations });
      workloads.set(name, web);
      await story.before?.(set, web);
    };
    await Promise.all(downtimeStories.map(prepare));
    await first.kill();
    await Promise.all(downtimeStories.map((story) => story.meanwhile(set, workload(story))));
    await set.weed(t);
  });

  for (const story of downtimeStories) {
    test(story.title, async () => {
      const web = workload(story);
      if (story.rollouts > 0) await web.restarted(story.rollouts);
      await played().caughtUp();
      assert.equal(web.rollouts(), story.rollouts);
      for (const { env } of await web.contents()) assert.deepEqual(env, story.env);
      await story.afterwards?.(played(), web);
    });
  }
});
