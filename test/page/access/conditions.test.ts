import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConditionName, conditionNames, conditionsAt } from '@weeder/live-page/scenes';
import { axeOf } from '../support/axe.ts';
import { openPage } from '../support/browser.ts';

const now = Date.UTC(2026, 10, 21, 14, 3, 7);
const forbidden = 'pods is forbidden: User "system:serviceaccount:weeder:weeder" cannot list resource "pods"';

/** What an operator on call reads. */
const sentences: Readonly<Record<ConditionName, string>> = {
  standby:
    'This weeder is a standby: the leader is weeder-9k2p, since 13:38:07. It watches only the Lease, and its views are empty.',
  'dry-run': 'This weeder is a dry run: it decides, but changes nothing in the cluster.',
  'rejected-config':
    'The new config is rejected, the one before stays in force: weeder.yaml:7: servicesAndDependantSelectors.db: unknown key "podSelector".',
  'missing-permission': `weeder cannot read pods app=web, pods app=cart: https://10.96.0.1:443 refused (403): ${forbidden}`,
  disconnected: 'The connection to weeder is lost. The page shows the state of 14:03:',
  'empty-cluster': 'No service is configured or declared, nothing waits.',
};

for (const name of conditionNames) {
  test(`${name}: the first view says so in a sentence, without a violation of axe, and is not wider than a phone`, async (t) => {
    const { greeting, overview } = conditionsAt(now)[name];
    const { page, server } = await openPage(
      t,
      (server) => {
        server.greeting = greeting;
        server.overview = overview;
      },
      { path: '/', viewport: { width: 360, height: 740 }, timezoneId: 'UTC' },
    );
    await page.locator('#overview-controllers').getByText('observer: {}').waitFor();
    if (name === 'disconnected') await server[Symbol.asyncDispose]();
    const read = page.locator('.notice, #overview-calm').filter({ visible: true });
    await read.filter({ hasText: sentences[name] }).waitFor();
    assert.equal(await read.count(), 1, (await read.allTextContents()).join('\n'));
    // Who leads is another one than the one whose page it is.
    const replica = page.locator('#process', { hasText: 'replica weeder-6b7f' });
    assert.ok(await replica.isVisible());
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
    const violations = await axeOf(page);
    assert.deepEqual(await violations(), []);
  });
}
