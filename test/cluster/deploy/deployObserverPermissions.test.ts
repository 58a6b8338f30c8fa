import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { applicationsPath } from '../../../src/observer/status/applicationApi.ts';
import { denials } from '../support/deploy/denials.ts';
import { type DeployedWeeder, permissions, rulesOf } from '../support/deploy/deployed.ts';
import type { Manifest } from '../support/deploy/kustomize.ts';
import { customised } from '../support/deploy/overlays.ts';
import { eventually } from '../support/eventually.ts';
import { type DeployedApplications, deployedApplications } from '../support/observer/deployedApplications.ts';
import { suiteControlPlane } from '../support/plane/ownControlPlane.ts';

type Permission = ReturnType<typeof permissions>[number];

/** Renders the application observer without the weeder. Its cluster roles have unique names. */
async function alone(namespace: string): Promise<Manifest[]> {
  const components = ['no-weeding', 'observer', 'observer-secrets'];
  const objects = await customised('single', { namespace, components });
  return objects.map((object) => {
    if (!object.kind.startsWith('ClusterRole')) return object;
    const name = `weeder-${namespace}`;
    const roleRef = 'roleRef' in object ? { roleRef: { ...Object(object['roleRef']), name } } : {};
    return { ...object, metadata: { ...object.metadata, name }, ...roleRef };
  });
}

/** Removes one permission from the objects. */
function without(objects: readonly Manifest[], { verb, group, resource }: Permission): Manifest[] {
  return objects.map((object): Manifest => {
    const rules = rulesOf(object).flatMap((rule) => {
      const matches = rule.resources.includes(resource) && rule.apiGroups.includes(group) && rule.verbs.includes(verb);
      if (!matches) return [rule];
      const others = { ...rule, resources: rule.resources.filter((each) => each !== resource) };
      return [others, { ...rule, resources: [resource], verbs: rule.verbs.filter((each) => each !== verb) }];
    });
    const left = rules.filter(({ verbs, resources }) => verbs.length > 0 && resources.length > 0);
    return rules.length === 0 ? object : { ...object, rules: left };
  });
}

const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { word: '1' } };

/** Waits until the log names the missing permission, and asserts that it names no other. */
async function untilDenied(weeder: DeployedWeeder, { verb, group, resource }: Permission): Promise<void> {
  const expected = `${verb} ${group}/${resource}`;
  await eventually(
    (saw) => {
      saw(weeder.log.lines);
      return denials(weeder).includes(expected);
    },
    { what: `a line that names ${expected}` },
  );
  assert.deepEqual(new Set(denials(weeder)), new Set([expected]));
}

async function changed({ ns }: DeployedApplications, word: string): Promise<void> {
  const path = ns.path('api/v1', 'configmaps', 'settings');
  await ns.cluster.api('PATCH', path, { data: { word } });
}

async function singularOf({ ns }: DeployedApplications): Promise<unknown> {
  const { data } = objectOf(await ns.cluster.api('GET', ns.path('api/v1', 'configmaps', 'settings')));
  return objectOf(data)['word'];
}

/** One object of each namespaced kind that the component lets weeder read. */
function oneOfEach(namespace: string): readonly object[] {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'registry.invalid/web:1' }] } };
  const job = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
  const of = (apiVersion: string, kind: string, body: object = {}) => ({
    apiVersion,
    kind,
    metadata: { name: 'web' },
    ...body,
  });
  const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'web' };
  const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  return [
    settings,
    of('v1', 'LimitRange', { spec: { limits: [{ type: 'Container', max: { cpu: '2' } }] } }),
    of('v1', 'PersistentVolumeClaim', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }),
    of('v1', 'Pod', { spec: template.spec }),
    of('v1', 'ResourceQuota', { spec: { hard: { configmaps: '100' } } }),
    of('v1', 'Secret', { data: { word: 'MQ==' } }),
    of('v1', 'Service', { spec: { selector: labels, ports: [{ port: 80 }] } }),
    of('v1', 'ServiceAccount'),
    of('apps/v1', 'DaemonSet', { spec: { selector: { matchLabels: labels }, template } }),
    of('apps/v1', 'Deployment', { spec: { replicas: 0, selector: { matchLabels: labels }, template } }),
    of('apps/v1', 'StatefulSet', { spec: { replicas: 0, selector: { matchLabels: labels }, template } }),
    of('autoscaling/v2', 'HorizontalPodAutoscaler', { spec: { maxReplicas: 2, scaleTargetRef: target } }),
    of('batch/v1', 'CronJob', { spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: job } } } }),
    of('batch/v1', 'Job', { spec: { suspend: true, template: job } }),
    of('networking.k8s.io/v1', 'Ingress', {
      spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
    }),
    of('networking.k8s.io/v1', 'NetworkPolicy', { spec: { podSelector: { matchLabels: labels } } }),
    of('policy/v1', 'PodDisruptionBudget', { spec: { minAvailable: 1, selector: { matchLabels: labels } } }),
    of('rbac.authorization.k8s.io/v1', 'Role', {
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
    }),
    of('rbac.authorization.k8s.io/v1', 'RoleBinding', {
      roleRef: role,
      subjects: [{ kind: 'ServiceAccount', name: 'web', namespace }],
    }),
  ];
}

const grants = permissions((await alone('x')).flatMap(rulesOf)).filter(({ group }) => group !== 'events.k8s.io');
const clusterScoped = /^(apiservice|clusterrole|clusterrolebinding|customresourcedefinition|namespace)s$/;
/** Limits the tests to one kind of manifest, because the same code requests all kinds. */
const isTested = ({ group, resource }: Permission) => group === 'weeder.dev' || resource === 'configmaps';
/** `list` is only needed if the API server does not stream lists. */
const isForPages = ({ verb }: Permission) => verb === 'list';
const title = ({ verb, group, resource }: Permission) => `${verb} ${resource}${group && `.${group}`}`;

/** Causes a GET: weeder reads a single object when an application ends, or when an object leaves its stream. */
async function causeRead({ ns }: DeployedApplications, { resource }: Permission): Promise<void> {
  if (resource === 'applications') {
    await ns.cluster.api('DELETE', `${applicationsPath(ns.name)}/all`);
    return;
  }
  const labels = { 'weeder.dev/application': null };
  const path = ns.path('api/v1', resource, 'settings');
  await ns.cluster.api('PATCH', path, { metadata: { labels } });
}

async function deployWithout(t: TestContext, missing: Permission, cluster?: DeployedApplications['ns']['cluster']) {
  const scene = await deployedApplications(t, cluster);
  const weeder = await scene.deploy(without(await alone(scene.home.name), missing));
  await scene.apply([settings]);
  return { scene, weeder };
}

suite('the permissions of the application observer', { concurrency: 3 }, () => {
  test('are enough to apply, to read and to correct one object of each kind, without any of the weeder’s', async (t) => {
    const scene = await deployedApplications(t);
    const weeder = await scene.deploy(await alone(scene.home.name));
    const manifests = oneOfEach(scene.ns.name);
    const seen = grants.filter(
      ({ verb, resource, group }) => verb === 'watch' && !clusterScoped.test(resource) && group !== 'weeder.dev',
    );
    assert.equal(manifests.length, seen.length);
    await scene.apply(manifests);
    const { failed } = await weeder.log.until('application applied');
    assert.equal(failed, 0);
    await changed(scene, '2');
    await weeder.log.until('resource corrected', { resource: `ConfigMap ${scene.ns.name}/settings` });
    assert.equal(await singularOf(scene), '1');
    const service = scene.ns.path('api/v1', 'services', 'web');
    await scene.ns.cluster.api('DELETE', service);
    await eventually(async () => (await scene.ns.cluster.send('GET', service)).status === 200, {
      what: 'the recreated Service',
    });
    assert.deepEqual(await weeder.stop(), { code: 0, signal: null });
    assert.deepEqual(denials(weeder), []);
  });

  for (const missing of grants.filter((each) => isTested(each) && !isForPages(each))) {
    test(`need ${title(missing)}: without it, the log names the rule to grant`, async (t) => {
      const { scene, weeder } = await deployWithout(t, missing);
      if (missing.verb === 'get') {
        await weeder.log.until('application applied');
        await causeRead(scene, missing);
      }
      await untilDenied(weeder, missing);
    });
  }

  test('need get serviceaccounts to detect a missing account: without it, the log names the rule to grant, and all is applied', async (t) => {
    const missing = { verb: 'get', group: '', resource: 'serviceaccounts', name: undefined };
    const { weeder } = await deployWithout(t, missing);
    await untilDenied(weeder, missing);
    const { failed } = await weeder.log.until('application applied');
    assert.equal(failed, 0);
  });

  test('need impersonate serviceaccounts: without it nothing is written, and the log names the rule to grant', async (t) => {
    const missing = { verb: 'impersonate', group: '', resource: 'serviceaccounts', name: undefined };
    const { scene, weeder } = await deployWithout(t, missing);
    const { reason } = await weeder.log.until('resource not applied, retrying');
    assert.match(
      String(reason),
      /\{apiGroups: \[""\], resources: \["serviceaccounts"\], verbs: \["impersonate"\]\}\.$/,
    );
    assert.equal((await scene.ns.cluster.send('GET', scene.ns.path('api/v1', 'configmaps', 'settings'))).status, 404);
  });
});

suite('the application observer with an API server without streamed lists', () => {
  const plane = suiteControlPlane({ apiServerFlags: ['--feature-gates=WatchList=false'] });

  for (const missing of grants.filter((each) => isTested(each) && isForPages(each))) {
    test(`the observer needs ${title(missing)}`, async (t) => {
      const { weeder } = await deployWithout(t, missing, plane());
      await untilDenied(weeder, missing);
    });
  }
});
