import { test } from 'node:test';
import { openPage } from '../support/page/openPage.ts';
import { overviewOf } from '../support/page/overviewOf.ts';
import { assertOverview, assertServices } from '../support/scene/assertScene.ts';
import { outageScene } from '../support/scene/outageScene.ts';

test('everything that is wrong in a large outage can be read from the overview and the list of services', async () => {
  await using scene = await outageScene();
  assertOverview(await overviewOf(scene.served.url));
  await using page = await openPage(scene.served.url);
  assertServices((await page.received('services')).services);
});
