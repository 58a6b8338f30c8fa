import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { sourceKey } from '../../../../src/restart/references/refs.ts';
import { grant, type Rule } from '../../support/cluster.ts';
import { denials } from '../../support/deploy/denials.ts';
import { eventually } from '../../support/eventually.ts';
import { type PassingRequest, startRequestProxy } from '../../support/plane/requestProxy.ts';
import { type RestartScene, setRestartScene } from '../../support/restart/restartScene.ts';

const reading = ['list', 'watch', 'get'];
/** The flags and permissions of deploy/components/restart-control-named. */
const apartFromSources: readonly Rule[] = [
  { apiGroups: ['apps'], resources: ['deployments', 'statefulsets', 'daemonsets'], verbs: ['list', 'watch', 'patch'] },
  { apiGroups: ['batch'], resources: ['cronjobs', 'jobs'], verbs: ['list', 'watch', 'patch'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'update'] },
  { apiGroups: [''], resources: ['secrets'], resourceNames: ['weeder-hash-key'], verbs: ['get'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
];

function rulesFor(configMaps: readonly string[], secrets: readonly string[]): Rule[] {
  return [
    { apiGroups: [''], resources: ['configmaps'], resourceNames: configMaps, verbs: reading },
    { apiGroups: [''], resources: ['secrets'], resourceNames: secrets, verbs: reading },
  ];
}

const usesBoth = { envFrom: [{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'password' } }] };

/** Returns the requested ConfigMaps and Secrets as `kind name`, or `kind *` for a list of all. */
function requested(requests: readonly PassingRequest[]): string[] {
  const lines = requests.flatMap(({ method, path }) => {
    const [, kind, name] = /\/(configmaps|secrets)(?:\/([^/?]+))?(?:\?|$)/.exec(path) ?? [];
    if (method !== 'GET' || kind === undefined) return [];
    const selected = /metadata\.name(?:%3D|=)([^&%,]+)/.exec(path)?.[1];
    return [`${kind} ${name ?? selected ?? '*'}`];
  });
  return [...new Set(lines)].sort();
}

async function named(t: Parameters<typeof setRestartScene>[0], prefix: string) {
  const scene: RestartScene = await setRestartScene(t, prefix);
  const { cluster, name: namespace } = scene.ns;
  const user = cluster.takeUser();
  await grant(cluster, user, apartFromSources, { namespace });
  const may = (...names: Parameters<typeof rulesFor>) => grant(cluster, user, rulesFor(...names), { namespace });
  await scene.put('settings', { word: 'one' });
  await scene.put('password', { word: 'one' }, 'Secret');
  await scene.make('Deployment', 'web', { spec: { replicas: 1 }, uses: usesBoth });
  return { scene, cluster, user, may, config: scene.config({ access: 'named' }) };
}

suite('with access: named and a Role that names the sources', { concurrency: true }, () => {
  test('a change of a named ConfigMap and of a named Secret restarts, and no other source is requested', async (t) => {
    const { scene, cluster, user, may, config } = await named(t, 'named');
    await may(['settings'], ['password']);
    await scene.put('unnamed', { word: 'one' });
    const proxy = await startRequestProxy(t, cluster, () => undefined, undefined, user);
    const weeder = await scene.start(t, { kubeconfig: proxy.kubeconfig, config });
    await scene.untilAdopted('Deployment', 'web');
    await scene.put('settings', { word: 'two' });
    await scene.untilDone('Deployment', 'web', 1);
    await scene.put('password', { word: 'two' }, 'Secret');
    await scene.untilDone('Deployment', 'web', 2);
    assert.deepEqual(requested(proxy.requests), ['configmaps settings', 'secrets password', 'secrets weeder-hash-key']);
    assert.deepEqual(denials(weeder), []);
  });

  test('a workload whose source is not named is not adopted, and the log names the source; the others are managed', async (t) => {
    const { scene, user, may, config } = await named(t, 'unnamed');
    await may(['settings'], ['password']);
    await scene.put('hidden', { word: 'one' });
    const uses = { envFrom: [{ configMapRef: { name: 'hidden' } }] };
    await scene.make('Deployment', 'other', { spec: { replicas: 1 }, uses });
    const weeder = scene.begin(t, { user, config });
    await scene.untilAdopted('Deployment', 'web');
    const line = await weeder.log.until('stream lost', { stream: `configmaps hidden in ${scene.ns.name}` });
    assert.match(
      String(line['cause']),
      /Grant it in a Role in namespace \S+: \{apiGroups: \[""\], resources: \["configmaps"\], resourceNames: \["hidden"\], verbs: \["watch"\]\}\.$/,
    );
    await scene.put('settings', { word: 'two' });
    await scene.untilDone('Deployment', 'web', 1);
    assert.equal(await scene.state('Deployment', 'other'), undefined);
    await may(['hidden'], ['password']);
    await scene.untilAdopted('Deployment', 'other');
    await scene.put('hidden', { word: 'two' });
    await scene.untilDone('Deployment', 'other', 1);
  });

  test('a source that a workload begins to use gets its own stream, and one without any workload loses it', async (t) => {
    const { scene, cluster, user, may, config } = await named(t, 'begun');
    await may(['settings', 'later'], ['password']);
    await scene.put('later', { word: 'one' });
    const { requests, kubeconfig } = await startRequestProxy(t, cluster, () => undefined, undefined, user);
    await scene.start(t, { kubeconfig, config });
    await scene.untilAdopted('Deployment', 'web');
    const before = requests.length;
    const containers = [
      { name: 'main', image: 'registry.invalid/weeder-test:1', envFrom: [{ configMapRef: { name: 'later' } }] },
    ];
    const answer = await scene.patch('Deployment', 'web', { spec: { template: { spec: { containers } } } });
    assert.equal(answer.status, 200);
    // The state before the rollout of the user counts as done, too, and a change before weeder reads the source is adopted.
    await eventually(
      async (saw) => {
        const { rolledOut } = (await scene.state('Deployment', 'web')) ?? {};
        saw([...(rolledOut?.keys() ?? [])]);
        return rolledOut?.has(sourceKey({ kind: 'ConfigMap', namespace: scene.ns.name, name: 'later' }));
      },
      { what: 'the tag of the ConfigMap later' },
    );
    await scene.untilDone('Deployment', 'web', 1);
    await scene.put('later', { word: 'two' });
    await scene.untilDone('Deployment', 'web', 2);
    await scene.put('settings', { word: 'two' });
    // With a stream, weeder would read it before the next change.
    await scene.put('later', { word: 'three' });
    await scene.untilDone('Deployment', 'web', 3);
    // Requests of open streams are repeated every twenty seconds.
    const begun = requests.slice(before).filter(({ path }) => !/watch=/.test(path) || /sendInitialEvents/.test(path));
    assert.deepEqual(requested(begun), ['configmaps later']);
  });
});
