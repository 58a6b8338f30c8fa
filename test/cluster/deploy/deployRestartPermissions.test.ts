import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { workloadKinds } from '@weeder/kube-runtime/objects';
import { isAllowed } from '../support/cluster.ts';
import { denials } from '../support/deploy/denials.ts';
import { type DeployedWeeder, permissions, rulesOf } from '../support/deploy/deployed.ts';
import type { Manifest } from '../support/deploy/kustomize.ts';
import { customised } from '../support/deploy/overlays.ts';
import { eventsOf } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { suiteControlPlane } from '../support/plane/ownControlPlane.ts';
import { type DeployedRestarts, deployedRestarts } from '../support/restart/deployedRestarts.ts';

type Permission = ReturnType<typeof permissions>[number];
type Variant = 'restart-control' | 'restart-control-configmaps' | 'restart-control-named';

/** Renders restart control without the weeder. Its cluster roles have unique names. */
async function alone(namespace: string, variant: Variant = 'restart-control'): Promise<Manifest[]> {
  const objects = await customised('single', { namespace, components: ['no-weeding', variant, 'evict'] });
  return objects.map((object) => {
    if (!object.kind.startsWith('ClusterRole')) return object;
    const name = `weeder-${namespace}`;
    const roleRef = 'roleRef' in object ? { roleRef: { ...Object(object['roleRef']), name } } : {};
    return { ...object, metadata: { ...object.metadata, name }, ...roleRef };
  });
}

/** Removes one permission from the objects. `name` is that in `resourceNames`. */
function without(objects: Manifest[], { verb, group, resource, name }: Permission): Manifest[] {
  return objects.map((object): Manifest => {
    const rules = rulesOf(object).flatMap((rule) => {
      const matches = rule.resources.includes(resource) && rule.apiGroups.includes(group);
      if (!matches || rule.resourceNames?.[0] !== name) return [rule];
      const others = { ...rule, resources: rule.resources.filter((each) => each !== resource) };
      return [others, { ...rule, resources: [resource], verbs: rule.verbs.filter((each) => each !== verb) }];
    });
    const left = rules.filter(({ verbs, resources }) => verbs.length > 0 && resources.length > 0);
    return rules.length === 0 ? object : { ...object, rules: left };
  });
}

async function untilDenied(weeder: DeployedWeeder, missing: readonly Permission[]): Promise<void> {
  const expected = new Set(missing.map(({ verb, group, resource }) => `${verb} ${group}/${resource}`));
  await eventually(
    (saw) => {
      saw(weeder.log.lines);
      return expected.isSubsetOf(new Set(denials(weeder)));
    },
    { what: `lines that name ${[...expected]}` },
  );
  assert.deepEqual(new Set(denials(weeder)), expected);
}

async function untilAdopted(weeder: DeployedWeeder): Promise<void> {
  await weeder.log.until('workload adopted, nothing restarts', {}, { count: 6 });
}

/** Changes a source, and waits until a rollout and evictions have brought the new content to the pods. */
async function restarts({ change }: DeployedRestarts, weeder: DeployedWeeder, resource: 'configmaps' | 'secrets') {
  const before = weeder.log.find('workload rolled out: its pods have the new content').length;
  await change(resource, String(before + 2));
  await weeder.log.until('workload rolled out: its pods have the new content', {}, { count: before + 2 });
}

/** Waits for the Events, because weeder drops unwritten ones at its stop, with a warning. */
async function untilReported({ ns }: DeployedRestarts, rollouts: number): Promise<void> {
  await eventually(
    async (saw) => {
      const reported = (await eventsOf(ns, 'reason=RolledOut')).map(({ series }) => series?.count ?? 1);
      saw(reported);
      return reported.reduce((sum, count) => sum + count, 0) === rollouts;
    },
    { what: `Events of ${rollouts} rollouts` },
  );
}

async function deployWithout(
  t: TestContext,
  missing: readonly Permission[],
  cluster?: DeployedRestarts['ns']['cluster'],
) {
  const scene = await deployedRestarts(t, cluster);
  // A role for all Secrets includes the hash key, so its own Role is tested without one.
  const isOfKey = missing.some(({ name }) => name !== undefined);
  const objects = await alone(scene.home.name, isOfKey ? 'restart-control-configmaps' : 'restart-control');
  const weeder = await scene.deploy(missing.reduce(without, objects), isOfKey ? { sourceKinds: ['ConfigMap'] } : {});
  return { scene, weeder };
}

const grants = permissions((await alone('x')).flatMap(rulesOf)).filter(({ group }) => group !== 'events.k8s.io');
const title = ({ verb, group, resource, name }: Permission) =>
  `${verb} ${resource}${group && `.${group}`}${name === undefined ? '' : ` ${name}`}`;
/** Pods are always listed in pages, all other kinds only if the API server does not stream lists. */
const isForPages = ({ verb, resource }: Permission) => verb === 'list' && resource !== 'pods';
const isAfterChange = ({ resource }: Permission) => resource.startsWith('pods');
const workloads: readonly string[] = Object.values(workloadKinds).map(({ plural }) => plural);

/** The permissions that are missing together: a verb for all kinds of workloads, which are independent, or one. */
function groupsOf(missing: readonly Permission[]): readonly (readonly Permission[])[] {
  const groups = Map.groupBy(missing, (each) => (workloads.includes(each.resource) ? each.verb : title(each)));
  return [...groups.values()];
}

suite('the permissions of restart control', { concurrency: 3 }, () => {
  test('the permissions suffice without those of the weeder', async (t) => {
    const scene = await deployedRestarts(t);
    const weeder = await scene.deploy(await alone(scene.home.name));
    await untilAdopted(weeder);
    await restarts(scene, weeder, 'configmaps');
    await restarts(scene, weeder, 'secrets');
    await untilReported(scene, 4);
    assert.deepEqual(await weeder.stop(), { code: 0, signal: null });
    assert.deepEqual(
      weeder.log.lines.filter(({ level }) => level !== 'info'),
      [],
    );
  });

  test('the permissions suffice without Secrets if only ConfigMaps are followed: a Secret restarts nothing', async (t) => {
    const scene = await deployedRestarts(t);
    const weeder = await scene.deploy(await alone(scene.home.name, 'restart-control-configmaps'), {
      sourceKinds: ['ConfigMap'],
    });
    const user = `system:serviceaccount:${scene.home.name}:weeder`;
    const secret = { verb: 'get', group: '', resource: 'secrets', namespace: scene.ns.name, name: 'password' };
    assert.equal(await isAllowed(scene.ns.cluster, user, secret), false);
    await untilAdopted(weeder);
    await scene.change('secrets', '2');
    await restarts(scene, weeder, 'configmaps');
    assert.equal(weeder.log.find(/^workload restarted/).length, 2);
    assert.deepEqual(denials(weeder), []);
  });

  for (const missing of groupsOf(grants.filter((each) => !isForPages(each)))) {
    test(`restart control needs ${missing.map(title).join(', ')}: without it, the log names the rule to grant`, async (t) => {
      const { scene, weeder } = await deployWithout(t, missing);
      if (missing.some(isAfterChange)) {
        await untilAdopted(weeder);
        await scene.change('configmaps', '2');
      }
      await untilDenied(weeder, missing);
    });
  }
});

suite('restart control with an API server without streamed lists', () => {
  const plane = suiteControlPlane({ apiServerFlags: ['--feature-gates=WatchList=false'] });

  for (const missing of groupsOf(grants.filter(isForPages))) {
    test(`restart control needs ${missing.map(title).join(', ')}`, async (t) => {
      const { weeder } = await deployWithout(t, missing, plane());
      await untilDenied(weeder, missing);
    });
  }
});
