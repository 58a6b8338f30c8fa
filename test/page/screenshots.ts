/** `npm run screenshots`: each view of the live page as a picture for visualizations/README.md. */
import { join } from 'node:path';
import { actorView, manyActors, scene } from '../support/pageScene.ts';
import { startPageServer } from '../support/pageServer.ts';
import { launch } from './support/browser.ts';

const folder = join(import.meta.dirname, '..', '..', 'visualizations', 'screenshots');
const now = Date.UTC(2026, 10, 21, 14, 3, 7);
const states = ['ready', 'ready.weeding', 'ready.weeding.steady'];
const db = actorView('shop/db', { states, since: now - 100_000, waitsFor: ['after watchDuration (3m20s)'] });

await using server = await startPageServer();
const browser = await launch();
server.greeting = scene(now);
server.actors = manyActors(10_000);

async function shoot(name: string, view: string, colorScheme: 'light' | 'dark', width = 1280): Promise<void> {
  const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme, timezoneId: 'UTC' });
  await page.goto(`${server.url}/#${view}`);
  await page.getByText('connected').waitFor();
  if (view.startsWith('machine')) {
    server.tell({ type: 'actor', actor: db });
    const step = { at: now - 100_000, event: 'endpoint.ready', from: 'notReady', to: 'ready.weeding' };
    server.tell({ type: 'actor', actor: db, transition: step });
    await page.locator('.arrow.taken').waitFor();
  }
  if (view === 'actors') await page.locator('.actor .id').first().waitFor();
  if (view === 'timeline') await page.locator('.deletion').first().waitFor({ state: 'attached' });
  await page.evaluate('new Promise(requestAnimationFrame)');
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
  await page.close();
}

await shoot('services', 'services', 'light');
await shoot('machine', 'machine=shop%2Fdb', 'light');
await shoot('actors', 'actors', 'light');
await shoot('timeline', 'timeline', 'light');
await shoot('timeline-dark', 'timeline', 'dark');
await browser.close();
