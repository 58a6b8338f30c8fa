import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import {
  ownedPod,
  running,
  setPodStatus,
  setSlice,
  type TestNamespace,
  testNamespace,
  watchDeletions,
} from '../support/cluster.ts';
import { declaringPod } from '../support/declaring.ts';
import { eventsWith } from '../support/events.ts';
import { startWeederInProcess } from '../support/inProcessWeeder.ts';
import { createService } from '../support/services.ts';

/** A Service outside the cluster: an alias in the DNS, or with EndpointSlices that no controller maintains. */
const outside: Readonly<Record<string, (ns: TestNamespace) => Promise<void>>> = {
  'a Service of type ExternalName': async (ns) => {
    const spec = { type: 'ExternalName', externalName: 'db.example.com' };
    await ns.cluster.api('POST', ns.path('api/v1', 'services'), { metadata: { name: 'db' }, spec });
  },
  'a Service without a selector, whose EndpointSlice is always ready': async (ns) => {
    await createService(ns, 'db');
    await setSlice(ns, 'db', { ready: [undefined] });
  },
};

async function started(t: TestContext, ns: TestNamespace, settings: object) {
  const declaredDependencies = { namespaces: [ns.name], onStart: 'never', ...settings };
  const config = { declaredDependencies };
  const weeder = startWeederInProcess(t, { cluster: ns.cluster, config, eventInstance: 'siblings' });
  await weeder.ready();
  return weeder;
}

/** Two crash-looping pods that declare the service, and one that declares another. */
async function scene(t: TestContext) {
  const ns = await testNamespace(t, 'siblings');
  const observer = await watchDeletions(ns);
  const web = await declaringPod(ns, 'web', 'db');
  await declaringPod(ns, 'api', 'db');
  await declaringPod(ns, 'of-another', 'redis');
  await ownedPod(ns, 'undeclared', { labels: { app: 'web' } });
  const deleted = async () => {
    await observer.caughtUp();
    return observer.deletions().map(({ name }) => name);
  };
  return { ns, observer, web, deleted, recover: () => setPodStatus(ns, 'api', running(4)) };
}

suite('sibling evidence', { concurrency: true }, () => {
  for (const [service, create] of Object.entries(outside)) {
    test(`${service}: a dependant that runs again frees the other one`, async (t) => {
      const { ns, observer, web, deleted, recover } = await scene(t);
      await create(ns);
      const weeder = await started(t, ns, { siblingEvidence: { readyFor: '1s' } });
      await recover();
      await observer.untilDeleted(web.metadata.uid);
      assert.deepEqual(await deleted(), ['web']);
      const [opened] = weeder.eventsOf('window.opened');
      assert.match(opened?.because ?? '', /api runs again$/);
      const events = await eventsWith(ns, [], ['PodDeleted', 'WindowOpened']);
      const noteOf = (of: string) => events.find(({ reason }) => reason === of)?.message ?? '';
      assert.match(noteOf('PodDeleted'), /because service db recovered \(\S+ siblings\S+api runs again\)/);
      assert.match(noteOf('WindowOpened'), /^\S+ siblings\S+api runs again: for 5m0s, pods that declare the service/);
    });
  }

  test('without the setting, or while the EndpointSlices say that the service is down, it frees none', async (t) => {
    const unset = await scene(t);
    const down = await scene(t);
    await setSlice(unset.ns, 'db', { ready: [undefined] });
    await setSlice(down.ns, 'db', { ready: [false] });
    const weeders = [
      await started(t, unset.ns, {}),
      await started(t, down.ns, { siblingEvidence: { readyFor: '1ms' } }),
    ];
    for (const { ns, observer, recover, deleted } of [unset, down]) {
      await recover();
      // A recovery of another service comes after what `api` could have caused.
      await setSlice(ns, 'redis', { ready: [false] });
      await setSlice(ns, 'redis', { ready: [true] });
      const marker = await declaringPod(ns, 'marker', 'redis');
      await observer.untilDeleted(marker.metadata.uid);
      assert.deepEqual((await deleted()).sort(), ['marker', 'of-another']);
    }
    const windows = weeders.flatMap((weeder) => weeder.eventsOf('window.opened'));
    assert.deepEqual(
      windows.map(({ service }) => service),
      ['redis', 'redis'],
    );
  });
});
