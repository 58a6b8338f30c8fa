import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ContainerContent } from '@weeder/embedded-cluster';
import { eventually } from '../../support/cluster.ts';
import { type Source, suiteDeploymentScene } from '../../support/restart/deploymentScene.ts';

const main = { name: 'main', image: 'registry.invalid/web:1' };

/** A way in which a pod uses a source that need not exist when it is created. */
interface Way {
  /** The text in the title. */
  readonly as: string;
  readonly source: Source;
  pod(name: string, optional: boolean): object;
}

const variable = (valueFrom: object) => ({ containers: [{ ...main, env: [{ name: 'a', valueFrom }] }] });
const variables = (from: object) => ({ containers: [{ ...main, envFrom: [from] }] });
const files = (volume: object) => ({
  containers: [{ ...main, volumeMounts: [{ name: 'files', mountPath: '/files' }] }],
  volumes: [{ name: 'files', ...volume }],
});

const ways: readonly Way[] = [
  {
    as: 'a key of a ConfigMap as a variable',
    source: 'configmaps',
    pod: (name, optional) => variable({ configMapKeyRef: { name, key: 'a', optional } }),
  },
  {
    as: 'all keys of a ConfigMap as variables',
    source: 'configmaps',
    pod: (name, optional) => variables({ configMapRef: { name, optional } }),
  },
  {
    as: 'a ConfigMap as a volume',
    source: 'configmaps',
    pod: (name, optional) => files({ configMap: { name, optional } }),
  },
  {
    as: 'a key of a Secret as a variable',
    source: 'secrets',
    pod: (name, optional) => variable({ secretKeyRef: { name, key: 'a', optional } }),
  },
  {
    as: 'all keys of a Secret as variables',
    source: 'secrets',
    pod: (name, optional) => variables({ secretRef: { name, optional } }),
  },
  {
    as: 'a Secret as a volume',
    source: 'secrets',
    pod: (name, optional) => files({ secret: { secretName: name, optional } }),
  },
];

const content = { configmaps: { data: { a: '1' } }, secrets: { stringData: { a: '1' } } };

/** Returns the content with which a container was started, without its name. */
function valuesOf(started: ContainerContent | undefined): string[] {
  return [...Object.values(started?.env ?? {}), ...Object.values(started?.files ?? {})];
}

suite('sources that are created after their pods', { concurrency: 8 }, () => {
  const scene = suiteDeploymentScene('appears');

  for (const [index, { as, source, pod }] of ways.entries()) {
    test(`${as}, required: the pods wait for it and then start, and nothing restarts`, async () => {
      const { make, create, caughtUp } = scene();
      const name = `required-${index}`;
      const web = await create(name, pod(name, false));
      const kind = source === 'secrets' ? 'Secret' : 'ConfigMap';
      const reported = await web.reported('RestartBlocked');
      assert.match(reported.join('\n'), new RegExp(`^It is not restarted: ${kind} .*/${name} is missing\\.$`));
      const before = await eventually(async () => (await web.uids()).length === 1 && web.uids(), {
        what: `the pod of ${name}`,
      });
      await make(source, name, content[source]);
      await web.current();
      await caughtUp();
      assert.deepEqual([await web.rollouts(), await web.uids()], [0, before]);
      assert.deepEqual(valuesOf(await web.content()), ['1']);
    });

    test(`${as}, optional: its creation is one rollout, and its deletion is one more`, async () => {
      const { make, remove, deploy, caughtUp } = scene();
      const name = `optional-${index}`;
      const web = await deploy(name, pod(name, true));
      assert.deepEqual(valuesOf(await web.content()), []);
      await make(source, name, content[source]);
      await web.restarted(1);
      assert.deepEqual(valuesOf(await web.content()), ['1']);
      await remove(source, name);
      await web.restarted(2);
      assert.deepEqual(valuesOf(await web.content()), []);
      await caughtUp();
      assert.equal(await web.rollouts(), 2);
    });
  }
});
