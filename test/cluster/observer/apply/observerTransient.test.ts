import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { grant } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { type Applying, applying, bad } from '../../support/observer/applying.ts';

const flowControl = '/apis/flowcontrol.apiserver.k8s.io/v1';
const settings = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: '1' } });

/** API Priority and Fairness that lets through one request of this account at a time, and rejects all others. */
async function limit({ ns }: Applying, account: string): Promise<void> {
  const levels = `${flowControl}/prioritylevelconfigurations`;
  const limited = { nominalConcurrencyShares: 0, borrowingLimitPercent: 0, limitResponse: { type: 'Reject' } };
  await ns.cluster.api('POST', levels, { metadata: { name: ns.name }, spec: { type: 'Limited', limited } });
  ns.after(() => ns.cluster.send('DELETE', `${levels}/${ns.name}`));
  const resourceRules = [{ verbs: ['*'], apiGroups: [''], resources: ['configmaps'], namespaces: [ns.name] }];
  const subjects = [{ kind: 'User', user: { name: account } }];
  await ns.cluster.api('POST', `${flowControl}/flowschemas`, {
    metadata: { name: ns.name },
    spec: {
      priorityLevelConfiguration: { name: ns.name },
      matchingPrecedence: 2,
      rules: [{ subjects, resourceRules }],
    },
  });
  ns.after(() => ns.cluster.send('DELETE', `${flowControl}/flowschemas/${ns.name}`));
}

suite('an apply that is refused for a time, on a real API server', { concurrency: 2 }, () => {
  test('with 429 is transient, and has the Retry-After of the API server', async (t) => {
    const it = await applying(t, 'throttled');
    const account = `system:serviceaccount:${it.ns.name}:default`;
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'patch'] }];
    await grant(it.ns.cluster, account, rules, { namespace: it.ns.name });
    const names = Array.from({ length: 20 }, (_, index) => `a${index}`);
    const plans = await Promise.all(names.map((name) => it.plan(settings(name), { account })));
    await limit(it, account);
    const rejected = async () => {
      const outcomes = await Promise.all(plans.map((plan) => it.api.create(plan, it.signal, true)));
      return outcomes.find((each) => !each.ok);
    };
    const failure = bad(await eventually(rejected, { what: 'that requests are rejected' }));
    assert.equal(failure.type, 'transient', failure.reason);
    assert.match(failure.reason, /\(429\)/);
    assert.ok(failure.retryAfter >= 1_000, String(failure.retryAfter));
    for (const plan of plans)
      await eventually(async () => (await it.api.create(plan, it.signal)).ok, { what: 'the ConfigMap' });
  });

  test('with 403 because the use of a ResourceQuota is not counted yet is transient, and succeeds once it is counted', async (t) => {
    const it = await applying(t, 'new-quota');
    const quotas = it.ns.path('api/v1', 'resourcequotas');
    const hard = { 'count/configmaps': '5' };
    await it.ns.cluster.api('POST', quotas, { metadata: { name: 'few' }, spec: { hard } });
    // No controller counts the use here.
    const setStatus = (status: object) => it.ns.cluster.api('PATCH', `${quotas}/few/status`, { status });
    const plan = await it.plan(settings('a'));
    const probe = async () => {
      const outcome = await it.api.dryRunAgain(plan, it.signal);
      return outcome.ok ? undefined : outcome.failure;
    };
    await setStatus({ hard });
    const failure = await eventually(probe, { what: 'that creations are refused' });
    assert.equal(failure.type, 'transient', failure.reason);
    assert.equal(failure.isDenied, undefined);
    assert.match(failure.reason, /\(403\).*status unknown for quota/);
    assert.equal(bad(await it.api.create(plan, it.signal)).type, 'transient');
    await setStatus({ hard, used: { 'count/configmaps': '5' } });
    const exceeded = async () => {
      const failure = await probe();
      return failure?.type === 'forbidden' ? failure : undefined;
    };
    assert.equal((await eventually(exceeded, { what: 'a quota that is exceeded' })).isDenied, true);
    await setStatus({ hard, used: { 'count/configmaps': '0' } });
    const created = async () => (await it.api.create(plan, it.signal)).ok;
    await eventually(created, { what: 'the ConfigMap' });
  });
});
