import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import {
  eventually,
  type Grant,
  getPod,
  grant,
  type Rule,
  startWeeder,
  type WeederProcess,
} from '../support/cluster.ts';
import { denials } from '../support/deploy/denials.ts';
import { type Scene, setScene } from '../support/scene.ts';

/** The permissions that weeder needs, except those for Events, which test/cluster/process/events.test.ts covers. */
const watchSlices = rule('discovery.k8s.io', 'endpointslices', 'list', 'watch');
const watchPods = rule('', 'pods', 'list', 'watch', 'get');
const deletePods = rule('', 'pods', 'delete');

function rule(group: string, resource: string, ...verbs: string[]): Rule {
  return { apiGroups: [group], resources: [resource], verbs };
}

interface RestrictedWeeder {
  readonly scene: Scene;
  readonly weeder: WeederProcess;
  /** Grants an additional permission. */
  allow(given: Rule): Promise<Grant>;
}

/** Starts a weeder whose user has exactly these permissions. */
async function weederWith(t: TestContext, prefix: string, rules: readonly Rule[]): Promise<RestrictedWeeder> {
  const scene = await setScene(t, prefix);
  const { cluster } = scene.ns;
  const user = cluster.takeUser();
  const granted: Grant[] = [];
  const allow = async (given: Rule): Promise<Grant> => {
    const one = await grant(cluster, user, [given]);
    granted.push(one);
    return one;
  };
  t.after(() => Promise.all(granted.map((one) => one.revoke().catch(() => {}))));
  for (const one of rules) await allow(one);
  const weeder = startWeeder(t, { cluster, config: scene.config, user, flags: ['--events=false'] });
  return { scene, weeder, allow };
}

suite('missing permissions', {
  concurrency: true,
}, () => {
  for (const { what, rules, missing, denied } of [
    { what: 'watch pods', rules: [watchSlices, deletePods], missing: watchPods, denied: 'watch /pods' },
    {
      what: 'watch EndpointSlices',
      rules: [watchPods, deletePods],
      missing: watchSlices,
      denied: 'watch discovery.k8s.io/endpointslices',
    },
  ]) {
    test(`without permission to ${what}, weeder names the missing rule, and starts when it is granted`, async (t) => {
      const { scene, weeder, allow } = await weederWith(t, 'denied', rules);
      await scene.endpoints(false);
      const pod = await scene.pod('web');
      await eventually(
        (saw) => {
          saw(weeder.log.lines);
          return denials(weeder).includes(denied);
        },
        { what: `a line that names ${denied}` },
      );
      await allow(missing);
      await weeder.log.until('caches synced, starting controller');
      await scene.endpoints(true);
      await scene.untilDeleted(pod);
      // Each stream logs the refusal, and its retries do not.
      const streams = new Set(weeder.log.find('stream lost').map((line) => line['stream']));
      assert.ok(denials(weeder).length <= 3 * streams.size, denials(weeder).join());
      assert.deepEqual(new Set(denials(weeder)), new Set([denied]));
    });
  }

  test('without permission in one of two namespaces, weeder manages the other one, and the first one after the grant', async (t) => {
    const served = await setScene(t, 'served');
    const refused = await setScene(t, 'refused');
    const { cluster } = served.ns;
    const user = cluster.takeUser();
    const rules = [watchSlices, watchPods, deletePods];
    await grant(cluster, user, rules, { namespace: served.ns.name });
    const config = {
      servicesAndDependantSelectors: Object.assign(
        {},
        ...[served, refused].map((scene) => objectOf(objectOf(scene.config)['servicesAndDependantSelectors'])),
      ),
    };
    const flags = ['--events=false', `--namespaces=${served.ns.name},${refused.ns.name}`];
    for (const scene of [served, refused]) await scene.endpoints(false);
    const [pod, other] = [await served.pod('web'), await refused.pod('web')];
    const weeder = startWeeder(t, { cluster, config, user, flags });
    const line = await weeder.log.until('starting controller without streams that cannot be read yet');
    assert.match(String(line['streams']), new RegExp(`endpointslices in ${refused.ns.name}`));
    for (const scene of [served, refused]) await scene.endpoints(true);
    await served.untilDeleted(pod);
    assert.equal((await getPod(refused.ns, 'web'))?.metadata.uid, other.metadata.uid);
    await grant(cluster, user, rules, { namespace: refused.ns.name });
    await weeder.log.until('stream synced', { stream: `endpointslices in ${refused.ns.name}` });
    await refused.endpoints(false);
    await refused.endpoints(true);
    await refused.untilDeleted(other);
  });

  test('without permission to delete pods, weeder retries the deletion in the window, and succeeds after the grant', async (t) => {
    const { scene, weeder, allow } = await weederWith(t, 'undeletable', [watchSlices, watchPods]);
    await scene.endpoints(false);
    const pod = await scene.pod('web');
    await weeder.ready();
    await scene.endpoints(true);
    await weeder.log.until('deletion refused, retrying', { pod: `${scene.ns.name}/web` }, { count: 3 });
    assert.equal((await getPod(scene.ns, 'web'))?.metadata.uid, pod.metadata.uid);
    assert.ok(denials(weeder).includes('delete /pods'));
    await allow(deletePods);
    await scene.untilDeleted(pod);
    await weeder.log.until('pod deleted', { pod: `${scene.ns.name}/web`, window: 1 });
    assert.deepEqual(new Set(denials(weeder)), new Set(['delete /pods']));
  });
});

test('with an invalid token, weeder prints one message, and exits with code 1', async (t) => {
  const scene = await setScene(t, 'unknown');
  const { cluster } = scene.ns;
  const kubeconfig = cluster.kubeconfigFor('admin', { token: 'expired' });
  const expects = { exit: true, stderr: /./ };
  const weeder = startWeeder(t, { cluster, config: scene.config, kubeconfig, expects });
  assert.deepEqual(await weeder.exited, { code: 1, signal: null });
  assert.equal(
    weeder.stderr(),
    `weeder: ${cluster.url} does not accept the credentials (401): Unauthorized. The credentials are wrong or have expired: renew them, or choose others with --kubeconfig or --context.\n`,
  );
  assert.deepEqual(weeder.log.lines, []);
});
