import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { forSuite } from '../support/cleanup.ts';
import type { Deployed } from '../support/deploy/deployment.ts';
import { eventually } from '../support/eventually.ts';
import { type DeploymentScene, setDeploymentScene } from '../support/restart/deploymentScene.ts';

const main = { name: 'main', image: 'registry.invalid/web:1' };
const paused = 'weeder.dev/paused-until';
const later = '2099-01-01T00:00:00Z';

/** A case with changes to one workload while no weeder runs. */
interface DowntimeCase {
  readonly title: string;
  readonly name: string;
  readonly pod?: object;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Runs before the first weeder is killed. The ConfigMap `name` has the keys `a` and `b`. */
  readonly before?: (scene: DeploymentScene, web: Deployed) => Promise<unknown>;
  readonly meanwhile: (scene: DeploymentScene, web: Deployed) => Promise<unknown>;
  /** The expected number of changes of the template, by any client, before `afterwards`. */
  readonly rollouts: number;
  readonly env: object;
  readonly afterwards?: (scene: DeploymentScene, web: Deployed) => Promise<unknown>;
}

function using(name: string): object {
  return { containers: [{ ...main, envFrom: [{ configMapRef: { name } }] }] };
}

function usingKey(name: string, isOptional = false): object {
  const configMapKeyRef = { name, key: 'a', optional: isOptional };
  return { containers: [{ ...main, env: [{ name: 'A', valueFrom: { configMapKeyRef } }] }] };
}

/** Restarts the workload as `kubectl rollout restart` does. */
function rolloutRestart(web: Deployed): Promise<void> {
  const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() };
  return web.patch({ spec: { template: { metadata: { annotations } } } });
}

/** Waits until new objects have a creation time that is later than that of earlier writes. */
async function twoSecondsLater(): Promise<void> {
  const from = Date.now();
  await eventually(() => Date.now() >= from + 2_000, { what: 'two seconds' });
}

const changed = { data: { a: '2' } };

/** The cases, each with its own workload. */
const downtimeCases: readonly DowntimeCase[] = [
  {
    title: 'a change is detected by the next process, and is one rollout',
    name: 'changed',
    meanwhile: ({ change }, { name }) => change('configmaps', name, changed),
    rollouts: 1,
    env: { a: '2', b: '1' },
  },
  {
    title: 'a change that the user has already rolled out is detected, and restarts nothing',
    name: 'rolled-after',
    meanwhile: async ({ change }, web) => {
      await change('configmaps', web.name, changed);
      await twoSecondsLater();
      await rolloutRestart(web);
      await eventually(async () => (await web.rollouts()) === 1, { what: 'the rollout of the user' });
    },
    rollouts: 1,
    env: { a: '2', b: '1' },
    afterwards: (_scene, web) => web.reported('RestartSkipped', /ConfigMap rolled-after \(key a\)/),
  },
  {
    title: 'a rollout of the user before the change does not count for it',
    name: 'rolled-before',
    meanwhile: async ({ change }, web) => {
      const [old] = await web.uids();
      await rolloutRestart(web);
      await eventually(async () => !(await web.uids()).includes(old ?? '') && web.content(), { what: 'the new pod' });
      await change('configmaps', web.name, changed);
    },
    rollouts: 2,
    env: { a: '2', b: '1' },
  },
  {
    title: 'a change that was reverted restarts nothing',
    name: 'reverted',
    meanwhile: async ({ change }, { name }) => {
      await change('configmaps', name, changed);
      await change('configmaps', name, { data: { a: '1' } });
    },
    rollouts: 0,
    env: { a: '1', b: '1' },
  },
  {
    title: 'a change of an unused key restarts nothing',
    name: 'unused',
    pod: usingKey('unused'),
    meanwhile: ({ change }, { name }) => change('configmaps', name, { data: { b: '2' } }),
    rollouts: 0,
    env: { A: '1' },
  },
  {
    title: 'a deleted optional source is detected, and is one rollout',
    name: 'optional',
    pod: usingKey('optional', true),
    meanwhile: ({ remove }, { name }) => remove('configmaps', name),
    rollouts: 1,
    env: {},
  },
  {
    title:
      'a deleted required source is reported, and restarts nothing; created again with equal content nothing either',
    name: 'required',
    meanwhile: ({ remove }, { name }) => remove('configmaps', name),
    rollouts: 0,
    env: { a: '1', b: '1' },
    afterwards: async ({ make, caughtUp }, web) => {
      await web.reported('RestartBlocked', /ConfigMap .*required is missing/);
      await make('configmaps', web.name, { data: { a: '1', b: '1' } });
      await caughtUp();
      assert.equal(await web.rollouts(), 0);
    },
  },
  {
    title: 'scaling alone restarts nothing',
    name: 'scaled',
    meanwhile: (_scene, web) => web.patch({ spec: { replicas: 3 } }),
    rollouts: 0,
    env: { a: '1', b: '1' },
  },
  {
    title: 'after a change and a scale-up the earlier pod still has the old content, and that is one rollout',
    name: 'scaled-after',
    meanwhile: async ({ change }, web) => {
      await change('configmaps', web.name, changed);
      await web.patch({ spec: { replicas: 3 } });
    },
    rollouts: 1,
    env: { a: '2', b: '1' },
  },
  {
    title: 'a restart that waits for the end of a pause is still pending, and is one rollout when the pause is removed',
    name: 'waiting',
    annotations: { [paused]: later },
    before: async ({ change }, web) => {
      await change('configmaps', web.name, changed);
      await web.reported('RestartPending', /paused until 2099/);
    },
    meanwhile: async () => undefined,
    rollouts: 0,
    env: { a: '1', b: '1' },
    afterwards: async (_scene, web) => {
      await web.patch({ metadata: { annotations: { [paused]: null } } });
      await web.restarted(1);
      assert.deepEqual((await web.content())?.env, { a: '2', b: '1' });
    },
  },
];

suite('changes made while no weeder runs', { concurrency: 10 }, () => {
  // The cases share one downtime of weeder.
  const shared = forSuite(async (t) => {
    const scene = await setDeploymentScene(t, 'down');
    const first = await scene.start(t);
    const prepare = async (downtimeCase: DowntimeCase) => {
      const { name, pod = using(name), annotations = {} } = downtimeCase;
      await scene.make('configmaps', name, { data: { a: '1', b: '1' } });
      const web = await scene.deploy(name, pod, { annotations });
      await downtimeCase.before?.(scene, web);
      return { downtimeCase, web };
    };
    const prepared = await Promise.all(downtimeCases.map(prepare));
    await first.kill();
    await Promise.all(prepared.map(({ downtimeCase, web }) => downtimeCase.meanwhile(scene, web)));
    await scene.start(t);
    return { scene, webs: new Map(prepared.map(({ downtimeCase, web }) => [downtimeCase, web])) };
  });

  for (const downtimeCase of downtimeCases) {
    test(downtimeCase.title, async () => {
      const { scene, webs } = shared();
      const web = webs.get(downtimeCase);
      assert(web);
      if (downtimeCase.rollouts > 0) await web.restarted(downtimeCase.rollouts);
      await scene.caughtUp();
      assert.equal(await web.rollouts(), downtimeCase.rollouts);
      for (const { env } of await web.contents()) assert.deepEqual(env, downtimeCase.env);
      await downtimeCase.afterwards?.(scene, web);
    });
  }
});
