/**
 * `npm run screenshots`: each view of the live page and each condition of weeder as a picture for
 * visualizations/README.md, and the pictures of the README.
 */
import { join } from 'node:path';
import type { PageMessage } from '@weeder/live-page';
import {
  actorView,
  applicationScene,
  type ConditionName,
  conditionNames,
  conditionsAt,
  dependencyScene,
  hello,
  manyActors,
  scene,
  workloadScene,
} from '@weeder/live-page/scenes';
import type { Browser, Page } from 'playwright-core';
import { type PageServer, startPageServer } from '../support/page/pageServer.ts';
import { launch } from './support/chromium.ts';
import { takeReadmePictures } from './support/pictures/readmePictures.ts';

const folder = join(import.meta.dirname, '..', '..', 'visualizations', 'screenshots');
const now = Date.UTC(2026, 10, 21, 14, 3, 7);
const states = ['ready', 'ready.windowOpen', 'ready.windowOpen.settled'];
const db = actorView('shop/db', { states, since: now - 100_000, waitsFor: ['after watchDuration (3m20s)'] });
const recovery = { at: now - 100_000, event: 'endpoint.ready', from: 'notReady', to: 'ready.windowOpen' };
const played = { startsAt: now - 3_600_000, endsAt: now + 900_000, now, isPlaying: true, speed: 16 };

/** `waitsFor` is in the page when the picture can be taken. */
interface Shot {
  readonly view: string;
  readonly waitsFor: string;
  readonly greeting?: readonly PageMessage[];
  readonly commands?: readonly PageMessage[];
}

const shots: Readonly<Record<string, Shot>> = {
  services: { view: 'services', waitsFor: '.state' },
  dependencies: { view: 'dependencies', waitsFor: '.dependency-box' },
  machine: {
    view: 'machine=shop%2Fdb',
    waitsFor: '.taken',
    commands: [
      { type: 'actor', actor: db },
      { type: 'actor', actor: db, transition: recovery },
    ],
  },
  actors: { view: 'actors', waitsFor: '.actor .id' },
  workloads: { view: 'workloads', waitsFor: '#workloads .state' },
  applications: { view: 'applications', waitsFor: '.difference' },
  timeline: { view: 'timeline', waitsFor: '.lane .deletion' },
  replay: {
    view: 'timeline',
    waitsFor: '.cursor',
    greeting: [hello(now, 'replay'), { type: 'clock', ...played }, ...scene(now).slice(1)],
  },
};

const appearances = {
  '': { colorScheme: 'light', viewport: { width: 1280, height: 720 } },
  '-dark': { colorScheme: 'dark', viewport: { width: 1280, height: 720 } },
  '-narrow': { colorScheme: 'light', viewport: { width: 360, height: 720 } },
} as const;

async function shoot(
  browser: Browser,
  server: PageServer,
  name: string,
  appearance: keyof typeof appearances,
): Promise<void> {
  const { view = name, waitsFor = 'main', greeting = scene(now), commands = [] } = shots[name] ?? {};
  server.greeting = greeting;
  const page = await browser.newPage({ ...appearances[appearance], timezoneId: 'UTC', reducedMotion: 'reduce' });
  await page.goto(`${server.url}/#${view}`);
  await shows(page, view, '[data-connection=live]');
  server.send(...commands);
  await shows(page, view, waitsFor);
  await page.evaluate('new Promise(requestAnimationFrame)');
  await page.screenshot({ path: join(folder, `${name}${appearance}.png`), animations: 'disabled' });
  await page.close();
}

/** Rejects with a sentence if a view of the page does not contain an element. */
async function shows(page: Page, view: string, selector: string): Promise<void> {
  try {
    await page.locator(selector).first().waitFor({ state: 'attached', timeout: 20_000 });
  } catch (cause) {
    throw new Error(`The view ${view} has no ${selector}: its picture cannot be taken.`, { cause });
  }
}

/** The first view in this condition. */
async function shootCondition(browser: Browser, name: ConditionName): Promise<void> {
  await using server = await startPageServer();
  Object.assign(server, conditionsAt(now)[name]);
  const viewport = { width: 1280, height: 400 };
  const page = await browser.newPage({ viewport, timezoneId: 'UTC', reducedMotion: 'reduce' });
  await page.goto(server.url);
  await shows(page, 'overview', '#overview-controllers li');
  if (name === 'disconnected') {
    await server[Symbol.asyncDispose]();
    await shows(page, 'overview', '[data-connection=broken]');
  }
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
  await page.close();
}

async function shootAll(): Promise<void> {
  // A browser that is not closed keeps the process running after a failure.
  await using browser = await launch();
  await using server = await startPageServer();
  server.actors = manyActors(10_000, now - 83_000);
  server.workloads = workloadScene(now);
  server.applications = applicationScene(now);
  server.dependencies = dependencyScene(now);
  for (const name of Object.keys(shots)) await shoot(browser, server, name, '');
  for (const name of ['services', 'dependencies', 'workloads', 'applications', 'timeline'])
    await shoot(browser, server, name, '-dark');
  for (const name of ['services', 'dependencies', 'machine', 'workloads', 'applications', 'timeline'])
    await shoot(browser, server, name, '-narrow');
  for (const name of conditionNames) await shootCondition(browser, name);
  await takeReadmePictures(browser, folder);
}

try {
  await shootAll();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
