import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ContainerContent } from '@weeder/embedded-cluster';
import { managed, type Source, suiteDeploymentScene } from '../../support/restart/deploymentScene.ts';

const image = 'registry.invalid/web:1';
const main = { name: 'main', image };
/** The label of workloads whose image pull Secrets count. */
const hashed = { 'pull-secrets': 'hash' };

interface Reference {
  /** The text in the title. */
  readonly as: string;
  readonly source: Source;
  /** Whether the key `b` is used too. */
  readonly usesAll?: boolean;
  readonly container?: string;
  pod(name: string): object;
}

const configMapKey = (name: string) => [{ name: 'A', valueFrom: { configMapKeyRef: { name, key: 'a' } } }];
const items = [{ key: 'a', path: 'a' }];
const mounting = (volume: object) => ({
  containers: [{ ...main, volumeMounts: [{ name: 'files', mountPath: '/files' }] }],
  volumes: [{ name: 'files', ...volume }],
});

const references: readonly Reference[] = [
  {
    as: 'a key of a ConfigMap as a variable',
    source: 'configmaps',
    pod: (name) => ({ containers: [{ ...main, env: configMapKey(name) }] }),
  },
  {
    as: 'a key of a Secret as a variable',
    source: 'secrets',
    pod: (name) => ({
      containers: [{ ...main, env: [{ name: 'A', valueFrom: { secretKeyRef: { name, key: 'a' } } }] }],
    }),
  },
  {
    as: 'all keys of a ConfigMap as variables',
    source: 'configmaps',
    usesAll: true,
    pod: (name) => ({ containers: [{ ...main, envFrom: [{ configMapRef: { name } }] }] }),
  },
  {
    as: 'all keys of a Secret as variables',
    source: 'secrets',
    usesAll: true,
    pod: (name) => ({ containers: [{ ...main, envFrom: [{ secretRef: { name } }] }] }),
  },
  {
    as: 'a ConfigMap as a volume',
    source: 'configmaps',
    usesAll: true,
    pod: (name) => mounting({ configMap: { name } }),
  },
  {
    as: 'an item of a ConfigMap as a volume',
    source: 'configmaps',
    pod: (name) => mounting({ configMap: { name, items } }),
  },
  {
    as: 'a Secret as a volume',
    source: 'secrets',
    usesAll: true,
    pod: (name) => mounting({ secret: { secretName: name } }),
  },
  {
    as: 'an item of a Secret as a volume',
    source: 'secrets',
    pod: (name) => mounting({ secret: { secretName: name, items } }),
  },
  {
    as: 'a ConfigMap in a projected volume',
    source: 'configmaps',
    usesAll: true,
    pod: (name) => mounting({ projected: { sources: [{ configMap: { name } }] } }),
  },
  {
    as: 'an item of a Secret in a projected volume',
    source: 'secrets',
    pod: (name) => mounting({ projected: { sources: [{ secret: { name, items } }] } }),
  },
  {
    as: 'a variable of an init container alone',
    source: 'configmaps',
    container: 'first',
    pod: (name) => ({ initContainers: [{ name: 'first', image, env: configMapKey(name) }] }),
  },
  {
    as: 'a variable of a sidecar alone',
    source: 'configmaps',
    container: 'proxy',
    pod: (name) => ({ initContainers: [{ name: 'proxy', image, restartPolicy: 'Always', env: configMapKey(name) }] }),
  },
];

function contentOf(source: Source, a: string, b: string): object {
  return source === 'secrets' ? { stringData: { a, b } } : { data: { a, b } };
}

/** Returns the content with which a container was started, without its name. */
function valuesOf(content: ContainerContent | undefined): string[] {
  return [...Object.values(content?.env ?? {}), ...Object.values(content?.files ?? {})].sort();
}

suite('every way in which a pod uses a ConfigMap or Secret', { concurrency: 8 }, () => {
  const scene = suiteDeploymentScene('references', {
    rules: [{ selector: { matchLabels: hashed }, imagePullSecrets: 'hash' }, { selector: { matchLabels: managed } }],
  });

  for (const [index, { as, source, usesAll = false, container = 'main', pod }] of references.entries()) {
    const name = `uses-${index}`;
    const used = usesAll ? 'b' : 'a';
    const final = usesAll ? contentOf(source, 'old', 'new') : contentOf(source, 'new', 'new');

    test(`${as}: one rollout, and the new pods have the new content`, async () => {
      const { make, change, deploy, caughtUp } = scene();
      await make(source, name, contentOf(source, 'old', 'old'));
      const web = await deploy(name, pod(name));
      const [before] = await web.uids();
      await change(source, name, { metadata: { labels: { own: 'one' }, annotations: { own: 'one' } } });
      if (!usesAll) await change(source, name, contentOf(source, 'old', 'new'));
      await caughtUp();
      assert.deepEqual([await web.rollouts(), await web.uids()], [0, [before]]);
      await change(source, name, final);
      await web.restarted(1);
      assert.equal((await web.uids()).includes(before ?? ''), false);
      assert.deepEqual(valuesOf(await web.content(container)), usesAll ? ['new', 'old'] : ['new']);
      await caughtUp();
      assert.equal(await web.rollouts(), 1);
      const reported = (await web.reported('Restarted')).map((each) => each.replace(/^.* because | changed\.$/g, ''));
      assert.deepEqual(reported, [`${source === 'secrets' ? 'Secret' : 'ConfigMap'} ${name} (key ${used})`]);
    });
  }

  test('an image pull Secret, if the rule includes it: one rollout for new credentials, none for another key', async () => {
    const { make, change, deploy, caughtUp } = scene();
    const credentials = (password: string) => ({
      stringData: { '.dockerconfigjson': JSON.stringify({ auths: { 'registry.invalid': { password } } }) },
    });
    await make('secrets', 'pull', { type: 'kubernetes.io/dockerconfigjson', ...credentials('one') });
    const pulling = { imagePullSecrets: [{ name: 'pull' }] };
    const [web, other] = [await deploy('pulls', pulling, { labels: hashed }), await deploy('pulls-too', pulling)];
    await change('secrets', 'pull', { stringData: { other: 'one' } });
    await caughtUp();
    assert.equal(await web.rollouts(), 0);
    await change('secrets', 'pull', credentials('two'));
    await web.restarted(1);
    await caughtUp();
    assert.deepEqual(
      [await web.rollouts(), await other.rollouts()],
      [1, 0],
      'image pull Secrets count only if the rule includes them',
    );
  });
});
