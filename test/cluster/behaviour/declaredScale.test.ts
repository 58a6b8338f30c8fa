import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setSlice, startWeeder, testNamespace, watchDeletions } from '../support/cluster.ts';
import { declaringPod } from '../support/declaring.ts';
import { startRequestProxy } from '../support/plane/requestProxy.ts';

const namespaces = 10;
const podsEach = 5;
const servicesEach = 20;

suite('many declared services', () => {
  test('of 1,000 declared services each recovers for its own pods, without a stream of all EndpointSlices', async (t) => {
    const homes = await Promise.all(
      Array.from({ length: namespaces }, async () => {
        const ns = await testNamespace(t, 'declared-scale');
        return { ns, observer: await watchDeletions(ns) };
      }),
    );
    const nameOf = (pod: number, service: number) => `service-${pod}-${service}`;
    const serviceOf = (namespace: string, pod: number, service: number) => `${nameOf(pod, service)}-of-${namespace}`;
    const pods = await Promise.all(
      homes.map(async ({ ns }) => {
        const created = [];
        for (let pod = 0; pod < podsEach; pod += 1) {
          const names = Array.from({ length: servicesEach }, (_, service) => serviceOf(ns.name, pod, service));
          // Without endpoints: a service that starts would hold the pod while another one recovers.
          await Promise.all(names.map((name) => setSlice(ns, name, { ready: [] })));
          created.push(await declaringPod(ns, `web-${pod}`, '', { alsoOn: names.join() }));
        }
        return created;
      }),
    );
    // The namespaces of the others have as many declared services as one may have.
    const more = await testNamespace(t, 'declared-more');
    const proxy = await startRequestProxy(t, more.cluster, () => {});
    const config = {
      declaredDependencies: { namespaces: [more, ...homes.map(({ ns }) => ns)].map(({ name }) => name) },
    };
    const weeder = startWeeder(t, { cluster: more.cluster, config, kubeconfig: proxy.kubeconfig });
    await weeder.ready();
    const slicesRequested = () =>
      proxy.requests
        .filter(({ path }) => path.startsWith('/apis/discovery.k8s.io/v1/endpointslices?'))
        .map(({ path }) => new URL(path, 'https://any').searchParams.get('labelSelector') ?? '');
    const opened = 'service recovered, window opened';
    await Promise.all(
      homes.map(async ({ ns, observer }, index) => {
        await setSlice(ns, serviceOf(ns.name, 2, index), { ready: [true] });
        await observer.untilDeleted(pods[index]?.[2]?.metadata.uid ?? '');
        await observer.caughtUp();
        assert.deepEqual(
          observer.deletions().map(({ name }) => name),
          ['web-2'],
        );
      }),
    );
    await weeder.log.until(opened, {}, { count: namespaces });
    assert.equal(weeder.log.find(opened).length, namespaces);
    const listed = slicesRequested();
    await declaringPod(more, 'web', 'one-more');
    for (const ready of [false, true]) await setSlice(more, 'one-more', { ready: [ready] });
    await weeder.log.until(opened, { service: 'one-more' });
    assert.deepEqual(weeder.log.find('problem with a declared dependency'), []);

    const selectors = slicesRequested();
    assert.ok(selectors.length > 0 && selectors.every((each) => each.includes(' in (') && each.length <= 4000));
    const distinct = new Set(selectors);
    t.diagnostic(`${namespaces * podsEach * servicesEach} services in ${new Set(listed).size} label selectors`);
    assert.equal(distinct.size, new Set(listed).size + 1, 'one more service replaces one stream');
  });
});
