import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { denials } from '../support/deploy/denials.ts';
import { createAll, type DeployedWeeder, startDeployed } from '../support/deploy/deployed.ts';
import { deployFolder, type Manifest } from '../support/deploy/kustomize.ts';
import { customised } from '../support/deploy/overlays.ts';
import { grant, isAllowed } from '../support/deploy/rbac.ts';
import { eventually } from '../support/eventually.ts';
import { errorsOf } from '../support/manifests.ts';
import { type TestNamespace, testNamespace } from '../support/namespace.ts';
import { configMap, isThere } from '../support/observer/observedObjects.ts';
import { type ObserverScene, setObserverScene } from '../support/observer/observerScene.ts';

type Controller = 'weeding' | 'restart-control' | 'observer';

/** Permissions in other namespaces, with the controllers whose accounts have them. */
const expected = {
  'delete pods': ['weeding'],
  'get secrets': ['restart-control'],
  'patch apps/deployments': ['restart-control'],
  'list configmaps': ['restart-control', 'observer'],
  'impersonate serviceaccounts': [],
  'delete apps/deployments': [],
  'create pods': [],
  'patch weeder.dev/applications/status': ['observer'],
} satisfies Readonly<Record<string, readonly Controller[]>>;

const controllers = ['weeding', 'restart-control', 'observer'] as const;

const gardener = readFileSync(join(deployFolder, 'examples', 'gardener.yaml'), 'utf8');

function separate(controller: Controller, namespace: string): Promise<Manifest[]> {
  return customised(`../separate/${controller}`, { namespace });
}

/** The tests share the CRD. */
const isCreatedPerTest = ({ kind }: Manifest) => kind !== 'CustomResourceDefinition';

async function deploy(
  t: TestContext,
  home: TestNamespace,
  controller: Controller,
  ns: TestNamespace,
): Promise<DeployedWeeder> {
  const rendered = (await separate(controller, home.name)).filter(isCreatedPerTest);
  // The config of a fresh install has no service, so that nothing would show whether the permissions suffice.
  const objects = rendered.map((each) =>
    controller === 'weeding' && each.kind === 'ConfigMap' ? { ...each, data: { 'weeder.yaml': gardener } } : each,
  );
  await createAll(t, home.cluster, objects);
  const weeder = await startDeployed(t, home, objects, { flags: [`--namespaces=${ns.name}`] });
  await eventually(
    async (saw) => {
      const answer = await fetch(`http://127.0.0.1:${weeder.ports['health']}/readyz?verbose`).catch(() => undefined);
      saw(await answer?.text());
      return answer?.status === 200;
    },
    { what: `${controller} is ready` },
  );
  return weeder;
}

/** Permits the observer to impersonate the account `default` of the namespace. */
async function allowImpersonation(scene: ObserverScene, home: TestNamespace): Promise<void> {
  const rules = [
    { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['impersonate'], resourceNames: ['default'] },
  ];
  const user = `system:serviceaccount:${home.name}:weeder-observer`;
  await grant(scene.ns.cluster, user, rules, { namespace: scene.ns.name });
}

suite('one process for each controller', () => {
  test('the API server accepts every field of the manifests without a warning', async (t) => {
    const home = await testNamespace(t, 'separate');
    for (const controller of controllers) {
      const objects = (await separate(controller, home.name)).filter(isCreatedPerTest);
      const errors = await Promise.all(objects.map((object) => errorsOf(home.cluster, object)));
      assert.deepEqual(errors.flat(), [], controller);
    }
  });

  test('each controller has the permissions that it needs, and none has those of another', async (t) => {
    const scene = await setObserverScene(t, 'separate');
    const { ns } = scene;
    const home = await testNamespace(t, 'home', ns.cluster);
    const weeders = [];
    for (const controller of controllers) weeders.push(await deploy(t, home, controller, ns));
    await allowImpersonation(scene, home);
    await scene.apply('shop', { manifests: [configMap('settings', { a: '1' })] });
    await scene.untilInSync('shop');
    assert.equal(await isThere(ns, 'ConfigMap', 'settings'), true);
    assert.deepEqual(weeders.flatMap(denials), []);

    const granted: Record<string, readonly string[]> = {};
    for (const act of Object.keys(expected)) {
      const [verb = '', path = ''] = act.split(' ');
      const [, group = '', resource = '', subresource] = /^(?:([^/]+)\/)?([^/]+)(?:\/(.+))?$/.exec(path) ?? [];
      const of = { verb, group, resource, namespace: 'default', ...(subresource && { subresource }) };
      const may = controllers.map((each) =>
        isAllowed(ns.cluster, `system:serviceaccount:${home.name}:weeder-${each}`, of),
      );
      const answers = await Promise.all(may);
      granted[act] = controllers.filter((_, index) => answers[index]);
    }
    assert.deepEqual(granted, expected);
  });
});
