/** A headless Chromium, controlled by a separate process, so that neither delays the API server. Started by browser.ts. */
import { once } from 'node:events';
import { hello, serviceView } from '@weeder/live-page/scenes';
import type { CDPSession, Page } from 'playwright-core';
import { launch } from '../../test/page/support/chromium.ts';
import { startPageServer } from '../../test/support/page/pageServer.ts';
import { BrowserRequest, type Look, type Scrolled } from './browserRequests.ts';

/** What a view has when it shows its first rows. */
const firstRows: Readonly<Record<string, string>> = {
  overview: '#overview .lines li',
  services: '#services-table tbody[role=rowgroup] tr',
  dependencies: '.dependency-box',
  actors: '#actors .actor .id',
  machine: '#machine svg .box',
  timeline: '.lane',
};
/** For a busy machine. */
const timeoutMs = 120_000;
const viewport = { width: 1400, height: 900 };

/** A page, and the bytes that it has received. */
interface Opened {
  readonly page: Page;
  readonly bytes: () => number;
}

await using browser = await launch();
const opened: Opened[] = [];

async function open(url: string, view: string): Promise<number> {
  const context = await browser.newContext({ viewport });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  let bytes = 0;
  session.on('Network.dataReceived', ({ dataLength }) => {
    bytes += dataLength;
  });
  await session.send('Network.enable');
  opened.push({ page, bytes: () => bytes });
  await page.addInitScript(`window.firstRows = new Promise((resolve) => {
    const look = () => {
      if (document.querySelector('${firstRows[view] ?? view}') === null) requestAnimationFrame(look);
      else resolve(performance.now());
    };
    requestAnimationFrame(look);
  })`);
  page.setDefaultTimeout(timeoutMs);
  await page.goto(`${url}#${view}`);
  return page.evaluate<number>('window.firstRows');
}

async function look(): Promise<Look> {
  const elements = await Promise.all(opened.map(({ page }) => elementsOf(page)));
  return { bytes: opened.reduce((sum, { bytes }) => sum + bytes(), 0), elements: Math.max(0, ...elements) };
}

function elementsOf(page: Page): Promise<number> {
  return page.evaluate("document.querySelectorAll('*').length");
}

async function closePages(): Promise<void> {
  for (const { page } of opened.splice(0)) await page.context().close();
}

async function scroll(count: number, ms: number): Promise<Scrolled> {
  await using server = await startPageServer();
  const services = Array.from({ length: count }, (_, index) => serviceView(`name-${index + 1}`));
  server.greeting = [hello(Date.now()), { type: 'services', services }];
  const page = await browser.newPage({ viewport });
  await page.goto(`${server.url}/#services`);
  await page
    .locator(firstRows['services'] ?? '')
    .first()
    .waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const atRest = await frames(page, session, ms, 0);
  const scrolling = await frames(page, session, ms, 200);
  const elements = await elementsOf(page);
  await page.close();
  return { elements, atRest, scrolling };
}

/** The frames of the page, which scrolls by so many pixels in each. */
async function frames(page: Page, session: CDPSession, ms: number, pixels: number): Promise<Scrolled['atRest']> {
  const before = await mainThread(session);
  const times = await page.evaluate<number[]>(`new Promise((resolve) => {
    const times = [];
    const frame = (time) => {
      times.push(time);
      if (time - times[0] > ${ms}) return resolve(times);
      scrollBy(0, ${pixels});
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  })`);
  return { times, cpu: (await mainThread(session)) - before };
}

/** Milliseconds that the page's main thread has spent on a core. */
async function mainThread(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
}

async function answer(request: BrowserRequest): Promise<unknown> {
  if ('open' in request) return open(request.open, request.view);
  if ('look' in request) return look();
  if ('scroll' in request) return scroll(request.scroll, request.ms);
  return closePages();
}

process.on('message', async (message) => {
  process.send?.({ answer: (await answer(BrowserRequest.parse(message))) ?? null });
});
process.send?.({ answer: null });
await once(process, 'disconnect');
