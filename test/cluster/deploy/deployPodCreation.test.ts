import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { stringify } from 'yaml';
import { createWebhook } from '../support/admissionWebhook.ts';
import { eventually, podsOf, setSlice, type TestNamespace, testNamespace } from '../support/cluster.ts';
import { denials } from '../support/deploy/denials.ts';
import { createAll, rulesOf, startDeployed } from '../support/deploy/deployed.ts';
import type { Manifest } from '../support/deploy/kustomize.ts';
import { customised } from '../support/deploy/overlays.ts';
import { eventsWith } from '../support/events.ts';
import { controllers, createOwner, objectsOf, retriedAt, untilRefused } from '../support/outage/refusedOwners.ts';

/** A namespace with objects whose pods a webhook has refused, and a weeder with the component's permissions. */
async function deploy(
  t: TestContext,
  { missing, watchDuration = '5m' }: { missing?: string; watchDuration?: string } = {},
) {
  const ns = await testNamespace(t, 'refused');
  const home = await testNamespace(t, 'home', ns.cluster);
  const webhook = await createWebhook(ns);
  for (const each of controllers) await createOwner(ns, each);
  const objects = (await manifests(home, watchDuration)).map((object) => without(object, missing));
  await createAll(t, home.cluster, objects);
  const weeder = await startDeployed(t, home, objects, { flags: [`--namespaces=${ns.name}`] });
  await weeder.ready();
  await weeder.log.until('webhooks that admit pods changed');
  await untilRefused(
    ns,
    controllers.map(({ name }) => name),
  );
  return { ns, webhook, weeder };
}

async function manifests({ name }: TestNamespace, watchDuration: string): Promise<Manifest[]> {
  // The suffix makes the names of the cluster roles unique.
  const changes = { namespace: name, components: ['pod-creation'], lines: [`nameSuffix: -${name}`] };
  const config = { 'weeder.yaml': stringify({ podCreation: { watchDuration } }) };
  return (await customised('single', changes)).map((each) =>
    each.kind === 'ConfigMap' ? { ...each, data: config } : each,
  );
}

function without(object: Manifest, verb: string | undefined): Manifest {
  const rules = rulesOf(object);
  const isOfOwners = ({ resources }: { readonly resources: readonly string[] }) => resources.includes('statefulsets');
  return rules.length === 0
    ? object
    : {
        ...object,
        rules: rules.map((rule) =>
          isOfOwners(rule) ? { ...rule, verbs: rule.verbs.filter((each) => each !== verb) } : rule,
        ),
      };
}

suite('the component pod-creation', { concurrency: 2 }, () => {
  test('its permissions suffice', async (t) => {
    const { ns, webhook, weeder } = await deploy(t);
    await webhook.recover();
    for (const { name } of controllers) await podsOf(ns, { app: name }, 1);
    await weeder.log.until('creation of pods retried', {}, { count: controllers.length });
    assert.deepEqual(denials(weeder), []);
  });

  test('without patch, nothing is changed, and log and Event name the rule to grant', async (t) => {
    const { ns, webhook, weeder } = await deploy(t, { missing: 'patch', watchDuration: '5s' });
    // Its server stays away: a controller that tries again by itself in these five seconds must not create the pods.
    await setSlice(ns, webhook.service, { ready: [true] });
    await eventually(() => denials(weeder).includes('patch apps/statefulsets'), { what: 'the rule to grant' });
    const expected = Array.from({ length: 3 }, () => 'PodCreationNotRetried');
    for (const { message } of await eventsWith(ns, ['reason=PodCreationNotRetried'], expected))
      assert.match(String(message), /Grant it in/);
    const [object] = await objectsOf(ns, 'apis/apps/v1', 'statefulsets');
    assert.equal(retriedAt in (object?.annotations ?? {}), false);
  });
});
