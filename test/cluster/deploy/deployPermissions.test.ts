import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { objectOf, parseDuration } from '@weeder/kube-runtime/base';
import { eventually } from '../support/cluster.ts';
import { declaringWorkloads } from '../support/declaring.ts';
import { denials } from '../support/deploy/denials.ts';
import { type DeployedWeeder, permissions, rulesOf } from '../support/deploy/deployed.ts';
import { type DeployedScene, deployedScene, watchDuration } from '../support/deploy/deployedScene.ts';
import type { Manifest } from '../support/deploy/kustomize.ts';
import { customised } from '../support/deploy/overlays.ts';
import { eventsOf } from '../support/events.ts';
import { suiteControlPlane } from '../support/plane/ownControlPlane.ts';
import type { LogLine } from '../support/weederLog.ts';

/** Needs its own permission. */
const evidence = { evidence: {} };

/** Renders the overlay with the components that add the remaining permissions. */
async function everything(namespace: string): Promise<Manifest[]> {
  // The suffix makes the names of the cluster roles unique.
  const lines = [`nameSuffix: -${namespace}`];
  return customised('single', { namespace, components: ['evict', 'evidence'], lines });
}

type Permission = ReturnType<typeof permissions>[number];

/** Removes one permission from the objects. */
function without(objects: readonly Manifest[], { verb, group, resource }: Permission): Manifest[] {
  return objects.map((object): Manifest => {
    const rules = rulesOf(object).map((rule) => {
      const matches = rule.apiGroups.includes(group) && rule.resources.includes(resource);
      return matches ? { ...rule, verbs: rule.verbs.filter((each) => each !== verb) } : rule;
    });
    // The API server rejects a rule without verbs.
    return rules.length === 0 ? object : { ...object, rules: rules.filter(({ verbs }) => verbs.length > 0) };
  });
}

async function deployWithout(
  t: TestContext,
  prefix: string,
  missing: Permission,
  cluster?: DeployedScene['home']['cluster'],
) {
  const deployed = await deployedScene(t, prefix, cluster, evidence);
  await deployed.recoverEarly(30_000);
  const weeder = await deployed.deploy(without(await everything(deployed.home.name), missing));
  return { deployed, weeder };
}

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

const grants = permissions((await everything('x')).flatMap(rulesOf));
/** The permissions that are needed before the first outage, which would end the search for the ready time. */
const isNeededAtStart = ({ verb, resource }: Permission) => verb === 'watch' || (verb === 'get' && resource === 'pods');
const title = ({ verb, group, resource }: Permission) => `${verb} ${resource}${group && `.${group}`}`;

suite('the permissions of the manifests', { concurrency: 3 }, () => {
  test('the permissions suffice: no refusal is reported', async (t) => {
    const deployed = await deployedScene(t, 'enough', undefined, evidence);
    await deployed.recoverEarly(30_000);
    const missed = await deployed.scene.pod('missed');
    const weeder = await deployed.deploy(await everything(deployed.home.name));
    await deployed.scene.untilDeleted(missed);
    const window = await weeder.log.until('service recovered, window opened');
    const left = parseDuration(String(window['for']));
    assert.ok(left.ok && left.value < watchDuration - 25_000, `the remaining window: ${window['for']}`);
    const { deleted, evicted } = await deployed.outage();
    await deployed.scene.untilDeleted(deleted, evicted);
    await weeder.log.until('pod evicted', { pod: `${deployed.scene.ns.name}/evicted-1` });
    await deployed.untilReported();
    const again = await deployed.outage();
    await deployed.scene.untilDeleted(again.deleted, again.evicted);
    await deployed.untilReported(2);
    await declaringWorkloads(deployed.scene.ns, 'Data_Base');
    await eventually(
      async (saw) => {
        const problems = await eventsOf(deployed.scene.ns, 'reason=DeclarationProblem');
        saw(problems);
        const kinds = new Set(problems.map(({ involvedObject }) => involvedObject.kind));
        return isDeepStrictEqual(kinds, new Set(['CronJob', 'Deployment']));
      },
      { what: 'an Event for each workload' },
    );
    for (const path of ['/healthz', '/readyz']) {
      assert.equal((await fetch(`http://127.0.0.1:${weeder.ports['health']}${path}`)).status, 200, path);
    }
    assert.deepEqual(await weeder.stop(), { code: 0, signal: null });
    // On a busy machine the last Events are still in the queue when weeder is stopped.
    const isCutOff = ({ msg, lost }: LogLine) =>
      msg === 'some Events were not written' && isDeepStrictEqual(Object.keys(objectOf(lost)), ['stopped']);
    const warnings = weeder.log.lines.filter((line) => line.level === 'warn' && !isCutOff(line));
    assert.deepEqual(
      warnings.map(({ msg }) => msg),
      ['problem with a declared dependency', 'problem with a declared dependency'],
    );
  });

  for (const missing of grants.filter(({ verb }) => verb !== 'list')) {
    test(`weeder needs ${title(missing)}: without it, the log names the rule to grant`, async (t) => {
      const { deployed, weeder } = await deployWithout(t, 'denied', missing);
      if (!isNeededAtStart(missing)) {
        await weeder.ready();
        await deployed.outage();
        if (['replicasets', 'jobs'].includes(missing.resource))
          await declaringWorkloads(deployed.scene.ns, 'Data_Base');
        if (missing.verb === 'patch') {
          // A repeated Event with the same note patches the existing one.
          await deployed.untilReported();
          await deployed.outage();
        }
      }
      await untilDenied(weeder, missing);
    });
  }
});

suite('an API server without streamed lists', () => {
  const plane = suiteControlPlane({ apiServerFlags: ['--feature-gates=WatchList=false'] });

  for (const missing of grants.filter(({ verb }) => verb === 'list')) {
    test(`weeder needs ${title(missing)}`, async (t) => {
      const { weeder } = await deployWithout(t, 'pages', missing, plane());
      await untilDenied(weeder, missing);
    });
  }
});
