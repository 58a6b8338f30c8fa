import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shown } from '../support/page/servedPage.ts';
import { visit } from './support/browser.ts';

const services = 5000;

/** A running weeder with 10,000 actors: an actor for each service, and one for the podSelector of its window. */
function manyWindows() {
  return shown({}, (before) => {
    for (let n = 0; n < services; n += 1)
      before.slice({ namespace: `shoot-${String(n).padStart(4, '0')}`, ready: [true] });
  });
}

test('10,000 actors: only the visible rows are in the page at any scroll position, and a search finds an actor', async (t) => {
  await using weeder = await manyWindows();
  await weeder.at.clock.pass(1000);
  const began = performance.now();
  const { page, consoleLines } = await visit(t, `${weeder.served.url}#actors`);
  const took = (what: string, since: number) => t.diagnostic(`${what}: ${Math.round(performance.now() - since)} ms`);
  await page.locator('.actor', { hasText: 'shoot-0000/etcd-main-client' }).first().waitFor();
  took('from opening the page to the first actors', began);
  await page.locator('#actors-count', { hasText: '10,000' }).waitFor();

  const list = page.locator('#actors-list');
  const rows = () => page.locator('.actor').count();
  const max = Math.ceil(((await list.boundingBox())?.height ?? 0) / 36) + 18;
  for (const share of [0.25, 0.5, 0.9]) {
    const scrolled = performance.now();
    await list.evaluate((element, to) => element.scrollTo(0, element.scrollHeight * to), share);
    const place = Math.round(share * 2 * services) + 2;
    await page
      .locator(`.actor[aria-posinset="${place}"]`, { hasText: 'etcd-main-client' })
      .or(page.locator(`.actor[aria-posinset="${place}"]`, { hasText: 'dependants-1-1' }))
      .first()
      .waitFor();
    took(`from scrolling to ${share * 100} % to what is there`, scrolled);
    assert((await rows()) <= max, `${await rows()} rows`);
  }
  assert.equal(await list.evaluate((element) => element.scrollHeight >= 10_000 * 36), true);

  const typed = performance.now();
  await page.locator('#actors-search').pressSequentially('4321');
  await page.locator('#actors-count', { hasText: /^2$/ }).waitFor();
  took('from the first of four keys to what they find', typed);
  assert.equal(await rows(), 2);
  await page.locator('#actors-machine').selectOption('dependants');
  await page.locator('#actors-count', { hasText: /^1$/ }).waitFor();
  await list.press('Enter');
  await page.waitForURL(/#machine=shoot-4321%2Fetcd-main-client%2Fdependants-1-1$/);
  await page.locator('.box.lit').first().waitFor();
  assert.deepEqual(consoleLines, []);
});

test('the actors are sorted by name, by state, or by the time of their last transition', async (t) => {
  await using weeder = await shown({ service: { onStart: 'never' } }, (before) => {
    for (const namespace of ['a', 'b', 'c']) before.slice({ namespace, ready: [true] });
  });
  await weeder.at.clock.pass(60_000);
  weeder.at.slice({ namespace: 'b', ready: [false] });
  const { page } = await visit(t, `${weeder.served.url}#actors`);
  const first = (text: string) => page.locator('.actor[aria-posinset="1"]', { hasText: text }).waitFor();
  await first('a/etcd-main-client');
  await page.getByLabel('Order').selectOption('newest');
  await first('b/etcd-main-client');
  await page.getByLabel('Order').selectOption('tree');
  await first('a/etcd-main-client');
  await page.getByLabel('Order').selectOption('state');
  await first('notReady › idle');
});
