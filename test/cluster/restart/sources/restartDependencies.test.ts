import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { forSuite } from '../../support/cleanup.ts';
import { eventually, type TestNamespace, testNamespace } from '../../support/cluster.ts';
import { startRequestProxy } from '../../support/plane/requestProxy.ts';
import { managed, setDeploymentScene } from '../../support/restart/deploymentScene.ts';

const alsoDependsOn = 'weeder.dev/also-depends-on';
const allowReferencesFrom = 'weeder.dev/allow-references-from';
const trusted = { trusted: 'true' };

type Source = 'configmaps' | 'secrets';

/** A namespace with sources on which workloads of other namespaces depend. */
function sourceNamespace(ns: TestNamespace) {
  return {
    name: ns.name,
    async make(source: Source, name: string, content: object, annotations: object = {}): Promise<void> {
      await ns.cluster.api('POST', ns.path('api/v1', source), { metadata: { name, annotations }, ...content });
    },
    async change(source: Source, name: string, patch: object): Promise<void> {
      await ns.cluster.api('PATCH', ns.path('api/v1', source, name), patch);
    },
  };
}

suite('dependencies on sources of another namespace', { concurrency: 8 }, () => {
  const setup = forSuite(async (t) => {
    const scene = await setDeploymentScene(t, 'depends');
    const shared = sourceNamespace(await testNamespace(t, 'shared'));
    const { kubeconfig, requests } = await startRequestProxy(t, scene.ns.cluster, () => undefined);
    const sources = [{ namespace: shared.name, names: ['by-config'] }];
    const rules = [{ selector: { matchLabels: trusted }, sources }, { selector: { matchLabels: managed } }];
    const flags = [`--namespaces=${scene.ns.name},${shared.name}`];
    await scene.start(t, { rules }, { kubeconfig, flags });
    const readsOf = (name: string) =>
      requests.filter(({ path }) => new RegExp(`/${shared.name}/(configmaps|secrets)/${name}$`).test(path)).length;
    return { scene, shared, readsOf };
  });

  function given() {
    const { scene, shared, readsOf } = setup();
    const dependsOn = (source: string, labels = managed as Record<string, string>) => {
      const [, name = ''] = source.split('/');
      const annotations = { [alsoDependsOn]: source.replace('/', `/${shared.name}/`) };
      return scene.deploy(name.replace(/#.*/, ''), {}, { annotations, labels });
    };
    return { shared, readsOf, ...scene, dependsOn };
  }

  for (const [name, annotations] of [
    ['none', {}],
    ['others', { [allowReferencesFrom]: 'shop,another' }],
  ] as const) {
    test(`without consent (${name}) a dependency is reported once and not read, and its changes restart nothing`, async () => {
      const { shared, dependsOn, caughtUp, readsOf } = given();
      await shared.make('configmaps', name, { data: { a: '1' } }, annotations);
      const web = await dependsOn(`configmap/${name}`);
      const [message, ...more] = await web.reported('DependencyNotAllowed');
      assert.match(
        message ?? '',
        new RegExp(`^ConfigMap ${shared.name}/${name} does not allow the namespace .* to depend on it`),
      );
      await shared.change('configmaps', name, { data: { a: '2' } });
      await caughtUp();
      assert.deepEqual([await web.rollouts(), readsOf(name), more], [0, 0, []]);
      assert.deepEqual([...(await web.current()).rolledOut.keys()], []);
    });
  }

  test('an unreadable consent is reported, and permits nothing', async () => {
    const { shared, dependsOn, caughtUp } = given();
    await shared.make('configmaps', 'public', { data: { a: '1' } }, { [allowReferencesFrom]: '*' });
    const web = await dependsOn('configmap/public');
    const [message, ...more] = await web.reported('AnnotationUnreadable');
    assert.match(
      message ?? '',
      new RegExp(`allow-references-from of ConfigMap ${shared.name}/public cannot be read: "\\*" is not`),
    );
    await shared.change('configmaps', 'public', { data: { a: '2' } });
    await caughtUp();
    assert.deepEqual([await web.rollouts(), more, (await web.reported('DependencyNotAllowed')).length], [0, [], 1]);
  });

  test('with consent by an annotation of the source its change is one rollout, until the consent is removed', async () => {
    const { ns, shared, dependsOn, caughtUp } = given();
    await shared.make('configmaps', 'allowed', { data: { a: '1' } }, { [allowReferencesFrom]: `another, ${ns.name}` });
    const web = await dependsOn('configmap/allowed');
    await shared.change('configmaps', 'allowed', { data: { a: '2' } });
    await web.restarted(1);
    await shared.change('configmaps', 'allowed', { metadata: { annotations: { [allowReferencesFrom]: null } } });
    await web.reported('DependencyNotAllowed');
    await shared.change('configmaps', 'allowed', { data: { a: '3' } });
    await caughtUp();
    assert.deepEqual([await web.rollouts(), [...(await web.current()).rolledOut.keys()]], [1, []]);
  });

  test('consent that comes later includes the source and restarts nothing; its next change does', async () => {
    const { ns, shared, dependsOn, caughtUp, readsOf } = given();
    await shared.make('configmaps', 'late', { data: { a: '1' } });
    const web = await dependsOn('configmap/late');
    await web.reported('DependencyNotAllowed');
    await shared.change('configmaps', 'late', {
      data: { a: '2' },
      metadata: { annotations: { [allowReferencesFrom]: ns.name } },
    });
    await eventually(async () => (await web.state())?.rolledOut.size === 1, { what: 'a state with the source' });
    await caughtUp();
    assert.equal(await web.rollouts(), 0);
    assert.notEqual(readsOf('late'), 0);
    await shared.change('configmaps', 'late', { data: { a: '3' } });
    await web.restarted(1);
  });

  test('the config permits the dependency for the workloads of its rule, and for no others', async () => {
    const { shared, dependsOn, caughtUp, deploy } = given();
    await shared.make('configmaps', 'by-config', { data: { a: '1' } });
    const web = await dependsOn('configmap/by-config', trusted);
    const annotations = { [alsoDependsOn]: `configmap/${shared.name}/by-config` };
    const other = await deploy('not-trusted', {}, { annotations });
    await shared.change('configmaps', 'by-config', { data: { a: '2' } });
    await web.restarted(1);
    await other.reported('DependencyNotAllowed');
    await caughtUp();
    assert.deepEqual([await web.rollouts(), await other.rollouts()], [1, 0]);
  });

  test('for a Secret of another namespace one key may be named: another key restarts nothing, and no value is reported', async () => {
    const { ns, shared, dependsOn, caughtUp } = given();
    const content = (password: string, user: string) => ({ stringData: { password, user } });
    await shared.make('secrets', 'login', content('1', '1'), { [allowReferencesFrom]: ns.name });
    const web = await dependsOn('secret/login#password');
    await shared.change('secrets', 'login', content('1', '2'));
    await caughtUp();
    assert.equal(await web.rollouts(), 0);
    await shared.change('secrets', 'login', content('2', '2'));
    await web.restarted(1);
    assert.deepEqual(await web.reported('Restarted'), [
      `Its pods are replaced by a rollout, because Secret ${shared.name}/login (key password) changed.`,
    ]);
  });

  test('for sources of its own namespace that its template does not use, a workload needs no consent', async () => {
    const { make, change, deploy } = given();
    await make('configmaps', 'own', { data: { a: '1' } });
    const web = await deploy('own', {}, { annotations: { [alsoDependsOn]: 'configmap/own' } });
    await change('configmaps', 'own', { data: { a: '2' } });
    await web.restarted(1);
  });
});
