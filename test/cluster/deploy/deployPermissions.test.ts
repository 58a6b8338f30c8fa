import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { eventually } from '../support/cluster.ts';
import { denials } from '../support/deploy/denials.ts';
import { type DeployedWeeder, permissions, rulesOf } from '../support/deploy/deployed.ts';
import { type DeployedScene, deployedScene, watchDuration } from '../support/deploy/deployedScene.ts';
import type { Manifest } from '../support/deploy/kustomize.ts';
import { customised } from '../support/deploy/overlays.ts';
import { suiteControlPlane } from '../support/plane/ownControlPlane.ts';

/** The overlay and the component with all permissions. */
async function everything(namespace: string): Promise<Manifest[]> {
  // Cluster roles have to differ between the tests, and so everything gets its own name.
  const lines = [`nameSuffix: -${namespace}`];
  return customised('single', { namespace, components: ['evict'], lines });
}

type Permission = ReturnType<typeof permissions>[number];

/** The objects without one permission. */
function without(objects: readonly Manifest[], { verb, group, resource }: Permission): Manifest[] {
  return objects.map((object): Manifest => {
    const rules = rulesOf(object).map((rule) => {
      const matches = rule.apiGroups.includes(group) && rule.resources.includes(resource);
      return matches ? { ...rule, verbs: rule.verbs.filter((each) => each !== verb) } : rule;
    });
    // The API server accepts no rule without verbs.
    return rules.length === 0 ? object : { ...object, rules: rules.filter(({ verbs }) => verbs.length > 0) };
  });
}

async function deployWithout(
  t: TestContext,
  prefix: string,
  missing: Permission,
  cluster?: DeployedScene['home']['cluster'],
) {
  const cast = await deployedScene(t, prefix, cluster);
  await cast.recoverEarly(30_000);
  const weeder = await cast.deploy(without(await everything(cast.home.name), missing));
  return { cast, weeder };
}

/** Waits for the line that names the missing permission, and for no other. */
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

const all = permissions((await everything('x')).flatMap(rulesOf));
/** Before the first outage; one that begins at once would end the search for the time of readiness. */
const isNeededAtOnce = ({ verb }: Permission) => verb === 'watch' || verb === 'get';
const title = ({ verb, group, resource }: Permission) => `${verb} ${resource}${group && `.${group}`}`;

suite('the permissions of the manifests', { concurrency: 3 }, () => {
  test('are enough for everything: no refusal is ever reported', async (t) => {
    const cast = await deployedScene(t, 'enough');
    await cast.recoverEarly(30_000);
    const missed = await cast.scene.pod('missed');
    const weeder = await cast.deploy(await everything(cast.home.name));
    await cast.scene.untilDeleted(missed);
    const window = await weeder.log.until('service recovered, window opened');
    const left = /^(\d+)(?:\.\d+)?s$/.exec(String(window['for']))?.[1];
    assert.ok(Number(left) * 1000 < watchDuration - 25_000, `what is left of the window: ${window['for']}`);
    const { deleted, evicted } = await cast.outage();
    await cast.scene.untilDeleted(deleted, evicted);
    await weeder.log.until('pod evicted', { pod: `${cast.scene.ns.name}/evicted-1` });
    await cast.untilReported();
    const again = await cast.outage();
    await cast.scene.untilDeleted(again.deleted, again.evicted);
    await cast.untilReported(2);
    for (const path of ['/healthz', '/readyz']) {
      assert.equal((await fetch(`http://127.0.0.1:${weeder.ports['health']}${path}`)).status, 200, path);
    }
    assert.deepEqual(await weeder.stop(), { code: 0, signal: null });
    const warnings = weeder.log.lines.filter(({ level }) => level === 'warn');
    assert.deepEqual(warnings, []);
  });

  for (const missing of all.filter(({ verb }) => verb !== 'list')) {
    test(`need ${title(missing)}: without it, the log names the rule to grant`, async (t) => {
      const { cast, weeder } = await deployWithout(t, 'denied', missing);
      if (!isNeededAtOnce(missing)) {
        await weeder.ready();
        await cast.outage();
        if (missing.verb === 'patch') {
          // A repetition with the same note is counted in the existing Event.
          await cast.untilReported();
          await cast.outage();
        }
      }
      await untilDenied(weeder, missing);
    });
  }
});

suite('an API server without streamed lists', () => {
  const plane = suiteControlPlane({ apiServerFlags: ['--feature-gates=WatchList=false'] });

  for (const missing of all.filter(({ verb }) => verb === 'list')) {
    test(`needs ${title(missing)}`, async (t) => {
      const { weeder } = await deployWithout(t, 'pages', missing, plane());
      await untilDenied(weeder, missing);
    });
  }
});
