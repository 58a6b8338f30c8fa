import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { deployments, namespaces, services } from '@weeder/embedded-cluster/resources';
import { until } from '@weeder/kube-runtime/testing';
import type { SuggestionList } from '@weeder/live-page';
import { file, startCli } from '../../support/cli.ts';
import { shown } from '../../support/page/servedPage.ts';
import { type Embedded, embedded, made } from '../../support/world/embedded.ts';

const configured = file(
  'suggestions.yaml',
  'declaredDependencies: {}\nservicesAndDependantSelectors: {db: {podSelectors: [{matchLabels: {app: mail}}]}}\n',
);

/** Workloads whose variable names the service db: `web`, `cart` which declares it, and `mail` which the config selects. */
function fill({ server: { store } }: Embedded): void {
  made(store.create(namespaces, { metadata: { name: 'shop' } }));
  const metadata = { name: 'db', namespace: 'shop' };
  made(store.create(services, { metadata, spec: { selector: { app: 'db' }, ports: [{ port: 5432 }] } }));
  const variables = [{ name: 'DB_HOST', value: 'db:5432' }];
  for (const [name, labels] of [['web'], ['cart', { 'weeder.dev/depends-on': 'db' }], ['mail']] as const) {
    const own = { app: name };
    const template = {
      metadata: { labels: { ...own, ...labels } },
      spec: { containers: [{ name, image: 'web', env: variables }] },
    };
    const spec = { selector: { matchLabels: own }, template };
    made(store.create(deployments, { metadata: { name, namespace: 'shop' }, spec }));
  }
}

const failure = (message: string) =>
  ({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    reason: 'Forbidden',
    code: 403,
    message,
  }) as const;

/** Starts weeder; returns what requests its page. */
async function suggestionsOf(t: TestContext, { kubeconfig }: Embedded) {
  const noServers = ['--health-bind-addr=0', '--metrics-bind-addr=0'];
  const flags = ['--config-file', configured, ...noServers, `--kubeconfig=${kubeconfig}`];
  const weeder = startCli([...flags, '--ui-bind-addr=:0']);
  t.after(() => weeder.child.kill('SIGKILL'));
  await until('weeder runs', () => weeder.stdout().includes('caches synced, starting controller'));
  const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(weeder.stdout())?.[0] ?? '';
  return (query = '') => listed(`${url}suggestions${query}`);
}

async function listed(url: string): Promise<SuggestionList> {
  return JSON.parse(await (await fetch(url)).text());
}

test('a workload whose variable names a service is suggested, unless it declares it or the config selects it', async (t) => {
  await using cluster = await embedded();
  fill(cluster);
  const suggestions = await suggestionsOf(t, cluster);
  const lists = () =>
    cluster.server.requests.latest.filter(({ verb, url }) => verb === 'list' && url.includes('/services'));
  assert.equal(lists().length, 0, 'nothing is read before a page asks');
  const [all] = await Promise.all([suggestions(), suggestions()]);
  assert.deepEqual(all, {
    found: 1,
    suggestions: [
      {
        namespace: 'shop',
        service: 'db',
        workload: 'Deployment shop/web',
        workloadNamespace: 'shop',
        confidence: 'high',
        reason: 'env DB_HOST of container web: db:5432, with a port of the Service',
        lacks: 'label weeder.dev/depends-on: db',
      },
    ],
    problems: [],
  });
  assert.deepEqual(await suggestions('?search=WEB+db&namespace=shop'), all);
  for (const query of ['?search=cart', '?namespace=other'])
    assert.deepEqual(await suggestions(query), { found: 0, suggestions: [], problems: [] });
  assert.equal(lists().length, 1, 'all requests share one search');
});

test('a permission that is missing is named with the rule to grant', async (t) => {
  await using cluster = await embedded();
  fill(cluster);
  const message = (plural: string) =>
    `${plural} is forbidden: User "weeder" cannot list resource "${plural}" in API group "" at the cluster scope`;
  cluster.server.setFaults(({ url }) => {
    const [plural] = /(services|jobs)(?=\?)/.exec(url) ?? [];
    if (plural === undefined) return undefined;
    return { refuse: failure(message(plural)) };
  });
  const suggestions = await suggestionsOf(t, cluster);
  const rule = 'Grant it in a ClusterRole: {apiGroups: [""], resources: ["services"], verbs: ["list"]}.';
  assert.deepEqual(await suggestions(), {
    found: 0,
    suggestions: [],
    problems: [
      `The suggestions do not include services: ${cluster.url} refused (403): ${message('services')}. ${rule}`,
      'Also refused: cronjobs, jobs. The rules of deploy/examples/suggest.yaml include them.',
    ],
  });
});

test('without a cluster, the page says why there are no suggestions', async () => {
  await using page = await shown();
  const { problems } = await listed(`${page.served.url}suggestions`);
  assert.deepEqual(problems, ['There are suggestions only on the page of a running weeder.']);
});
