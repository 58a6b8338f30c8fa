/**
 * The scene of the embedded cluster (test/support/scene) on a real API server, where the live page says the same. No
 * node runs: the test writes the statuses of the dependants as a kubelet would, and a simulated kubelet runs the pods of
 * the workloads that restart. Only the times differ: windows last for an hour, restarts have no pauses, and the other
 * manager changes the contested object again with each look at the page, because its correction comes within half a
 * minute.
 */
import { suite, test } from 'node:test';
import { openPage } from '../../support/page/openPage.ts';
import { overviewOf } from '../../support/page/overviewOf.ts';
import { assertOverview, assertServices } from '../../support/scene/assertScene.ts';
import { eventually, startWeeder } from '../support/cluster.ts';
import { installApplications } from '../support/observer/applicationCrd.ts';
import { everythingAllowed } from '../support/observer/observerScene.ts';
import { createOutageApplications } from '../support/outage/outageApplications.ts';
import { createOutageServices, servicesSection } from '../support/outage/outageServices.ts';
import { createOutageWorkloads, workloadsSection } from '../support/outage/outageWorkloads.ts';
import { suiteControlPlane } from '../support/plane/ownControlPlane.ts';

suite('a large outage on a real API server', () => {
  const plane = suiteControlPlane({ controllerManager: true });

  test('the live page says the same of it as on the embedded cluster', async (t) => {
    const cluster = plane();
    const [services, workloads] = await Promise.all([
      createOutageServices(t, cluster),
      createOutageWorkloads(t, cluster),
      installApplications(cluster),
    ]);
    const config = {
      ...everythingAllowed,
      servicesAndDependantSelectors: servicesSection(),
      restartControl: workloadsSection(),
    };
    const weeder = startWeeder(t, { cluster, config, flags: ['--ui-bind-addr=127.0.0.1:0'] });
    await weeder.ready();
    const url = String((await weeder.log.until('the live page is served'))['url']);
    const applications = await createOutageApplications(workloads.shop);
    await workloads.untilAdopted(weeder);
    await Promise.all([services.breakThem(weeder), workloads.breakThem(weeder), applications.breakThem(weeder)]);
    await eventually(
      async () => {
        await applications.contestAgain();
        assertOverview(await overviewOf(url));
        await using page = await openPage(url);
        assertServices((await page.received('services')).services);
        return true;
      },
      { what: 'a page that says everything that is wrong', every: 500 },
    );
  });
});
