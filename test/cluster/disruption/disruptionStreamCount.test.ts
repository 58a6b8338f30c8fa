import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Cluster,
  crashLoopBackOff,
  eventually,
  ownedPod,
  setPodStatus,
  setSlice,
  startWeeder,
  type TestNamespace,
  testNamespace,
} from '../support/cluster.ts';
import { ownControlPlane } from '../support/plane/ownControlPlane.ts';

const namespaces = 30;
const [shop, stock] = [{ app: 'shop' }, { app: 'stock' }];
const services = { db: [shop], queue: [shop, stock], cache: [stock] };
const config = {
  watchDuration: '5m',
  servicesAndDependantSelectors: Object.fromEntries(
    Object.entries(services).map(([name, labels]) => [
      name,
      { podSelectors: labels.map((matchLabels) => ({ matchLabels })) },
    ]),
  ),
};

/** Returns the sum of a metric of the API server over pods and EndpointSlices. */
async function count(cluster: Cluster, metric: string, verb: string): Promise<number> {
  const { body } = await cluster.send('GET', '/metrics');
  const lines = String(body)
    .split('\n')
    .filter((line) => line.startsWith(`${metric}{`) && line.includes(`verb="${verb}"`))
    .filter((line) => /resource="(pods|endpointslices)"/.test(line));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

const watches = (cluster: Cluster) => count(cluster, 'apiserver_longrunning_requests', 'WATCH');
const lists = (cluster: Cluster) => count(cluster, 'apiserver_request_total', 'LIST');

async function prepare(ns: TestNamespace): Promise<void> {
  for (const service of Object.keys(services)) await setSlice(ns, service, { ready: [false] });
  for (const labels of [shop, stock]) {
    await ownedPod(ns, labels.app, { labels });
    await setPodStatus(ns, labels.app, crashLoopBackOff(3));
  }
}

test('weeder needs 3 watches for 3 services and 2 podSelectors in 30 namespaces, and no list for 90 recoveries', async (t) => {
  const plane = await ownControlPlane(t);
  const testNamespaces = await Promise.all(Array.from({ length: namespaces }, () => testNamespace(t, 'many', plane)));
  await Promise.all(testNamespaces.map(prepare));
  const before = await watches(plane);
  const weeder = startWeeder(t, { cluster: plane, config });
  await weeder.ready();
  const during = async (expected: number) =>
    eventually(
      async (saw) => {
        const now = (await watches(plane)) - before;
        saw(now);
        return now === expected;
      },
      { what: `${expected} watches` },
    );
  await during(3);

  const listed = await lists(plane);
  await Promise.all(
    testNamespaces.flatMap((ns) => Object.keys(services).map((name) => setSlice(ns, name, { ready: [true] }))),
  );
  await weeder.log.until('service recovered, window opened', {}, { count: 3 * namespaces });
  const deleted = () => new Set(weeder.log.find('pod deleted').map((line) => line['uid'])).size;
  await eventually(
    (saw) => {
      saw(deleted());
      return deleted() === 2 * namespaces;
    },
    { what: `the deletion of ${2 * namespaces} pods` },
  );
  await during(3);
  assert.equal(await lists(plane), listed);

  await weeder.stop();
  await during(0);
});
