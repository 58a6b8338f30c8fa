import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type LabelSelector, matchesSelector, selectorToString } from '@weeder/kube-runtime/objects';
import { barePod, podsOf, type TestNamespace, testNamespace } from '../support/cluster.ts';

const labelSets: Readonly<Record<string, string>>[] = [
  {},
  { app: 'web' },
  { app: '' },
  { app: 'Web' },
  { app: 'web', role: 'apiserver' },
  { app: 'db', role: 'main' },
  { role: 'apiserver', 'gardener.cloud/role': 'controlplane' },
  { role: 'main', 'gardener.cloud/role': 'controlplane' },
  { role: '', 'gardener.cloud/role': 'controlplane' },
  { 'gardener.cloud/role': 'controlplane' },
  { 'gardener.cloud/role': 'monitoring', role: 'a.b_c-D' },
  { constructor: 'web', toString: 'x' },
  { app: 'in', notin: 'exists' },
];

const expressions = ['In', 'NotIn'].flatMap((operator) =>
  [['web'], ['web', 'db'], [''], ['', 'web'], ['Web', 'web', 'web'], ['in'], ['nothing']].map((values) => ({
    matchExpressions: [{ key: 'app', operator, values }],
  })),
);

const selectors = [
  {},
  { matchLabels: { app: 'web' } },
  { matchLabels: { app: '' } },
  { matchLabels: { app: 'web', role: 'apiserver' } },
  { matchLabels: { constructor: 'web' } },
  { matchLabels: { notin: 'exists' } },
  ...expressions,
  ...['app', 'role', 'gardener.cloud/role', 'toString', 'valueOf', 'notin'].flatMap((key) => [
    { matchExpressions: [{ key, operator: 'Exists' }] },
    { matchExpressions: [{ key, operator: 'DoesNotExist' }] },
  ]),
  {
    matchExpressions: [
      { key: 'gardener.cloud/role', operator: 'In', values: ['controlplane'] },
      { key: 'role', operator: 'NotIn', values: ['main', 'apiserver'] },
    ],
  },
  { matchLabels: { role: 'a.b_c-D' }, matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] },
  {
    matchLabels: { app: 'web' },
    matchExpressions: [
      { key: 'app', operator: 'NotIn', values: ['db'] },
      { key: 'role', operator: 'NotIn', values: [''] },
    ],
  },
  { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] },
] as LabelSelector[];

/** Returns the names of the pods that the API server selects. */
async function selectedByServer(ns: TestNamespace, selector: LabelSelector): Promise<string[]> {
  const query = new URLSearchParams({ labelSelector: selectorToString(selector) });
  const list = await ns.cluster.api('GET', `${ns.path('api/v1', 'pods')}?${query}`);
  return (list as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name).sort();
}

suite('label selectors', { concurrency: true }, () => {
  test('weeder and the API server select the same pods', async (t) => {
    const ns = await testNamespace(t, 'selectors');
    for (const [index, labels] of labelSets.entries()) await barePod(ns, `pod-${index}`, { labels });
    // The labels are read back, because every pod of these tests has additional ones.
    const pods = await podsOf(ns, {}, labelSets.length);
    for (const selector of selectors) {
      const selected = pods.filter(({ metadata }) => matchesSelector(selector, metadata.labels ?? {}));
      assert.deepEqual(
        await selectedByServer(ns, selector),
        selected.map(({ metadata }) => metadata.name).sort(),
        JSON.stringify(selector),
      );
    }
    t.diagnostic(`${selectors.length} selectors on ${labelSets.length} pods`);
  });

  test('selectors that contradict themselves select no pod', async (t) => {
    const ns = await testNamespace(t, 'contradictions');
    await barePod(ns, 'web', { labels: { app: 'web' } });
    const empty: LabelSelector = { matchExpressions: [{ key: 'app', operator: 'In', values: [] }] };
    assert.deepEqual(await selectedByServer(ns, empty), []);
    assert.equal(matchesSelector(empty, { app: 'web' }), false);
    assert.equal(matchesSelector(empty, {}), false);
  });
});
