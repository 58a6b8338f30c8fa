import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { guardFolder } from '../../test/cluster/support/plane/process.ts';
import { freePort } from '../../test/support/api/freePort.ts';
import { clientCore, useCores } from '../support/cores.ts';
import { cpuSeconds, memoryOf, monotonic } from '../support/processFigures.ts';
import { startWeederProgram, weederProgram } from '../support/programs.ts';
import { percentile, rounded } from '../support/statistics.ts';
import { type Browser, startBrowser } from './browser.ts';
import type { Scrolled } from './browserRequests.ts';
import type { Changes, Cost, Frames, LivePageCase, Load, Scrolling } from './livePageResults.ts';
import { type LivePageScene, livePageScene } from './livePageScene.ts';

export interface LivePageOptions {
  readonly services: number;
  /** Pages that are open at the same time. */
  readonly pages: number;
  /** Services that change in each half of a round. */
  readonly changing: number;
  /** How long each half of a round takes. */
  readonly seconds: number;
  readonly rounds: number;
  /** The services of the page that is scrolled. */
  readonly scrolled: number;
  readonly log: (line: string) => void;
}

/** The views of the open pages, in turn. */
const views = ['overview', 'services', 'timeline', 'dependencies', 'actors'] as const;
const settleMs = 2_000;
const restMs = 10_000;
const scrollMs = 5_000;

/** Measures what the live page costs weeder and the browser, and whether deletions are later for it. */
export async function measureLivePage(options: LivePageOptions): Promise<LivePageCase[]> {
  const { services, pages, changing, seconds, log } = options;
  const dir = mkdtempSync(join(tmpdir(), 'weeder-page-'));
  const removeFolder = guardFolder(dir);
  await using scene = await livePageScene(services);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const { config, cluster } = scene;
  const { kubeconfig } = cluster;
  const program = await weederProgram();
  // Writing Events takes minutes after the windows of all services have opened.
  const flags = [`--ui-bind-addr=127.0.0.1:${port}`, '--events=false'];
  // weeder has a core for itself where there are two, because in production neither the browsers nor the API server
  // take its time.
  const weeder = await startWeederProgram({ program, dir, kubeconfig, config, flags, core: clientCore });
  scene.recoverAll();
  await untilActors(url, scene.actors);
  await pause(settleMs);
  const subject = { url, cost: costOf(weeder.pid) };
  const alone = await measureAlone(subject);
  const times = alone.loads.map(({ view, firstRows }) => `${view} ${firstRows} ms`);
  log(`${scene.actors} actors; first rows: ${times.join(', ')}`);
  const rounds = await measureRounds(scene, subject, options);
  await weeder.kill();
  removeFolder();
  const scroll = await measureScrolling(options.scrolled);
  const { perSecond, cpu } = scroll.scrolling;
  log(`${options.scrolled} services scroll: ${perSecond} frames a second, ${cpu} ms of CPU for each`);
  return [{ services, actors: scene.actors, pages, changing, seconds, ...alone, rounds, scroll }];
}

/** A weeder with its page, and a function that measures the process until the returned function is called. */
interface Subject {
  readonly url: string;
  readonly cost: () => () => Cost;
}

/** Measures weeder at rest, without a page and with one, and each view. */
async function measureAlone({ url, cost }: Subject): Promise<Pick<LivePageCase, 'loads' | 'atRest'>> {
  const withoutPage = cost();
  await pause(restMs);
  const weeder = withoutPage();
  await using browser = await startBrowser();
  const loads: Load[] = [];
  for (const view of views) loads.push(await medianLoad(browser, url, view));
  await browser.open(url, 'overview');
  await pause(settleMs);
  const [ofPage, ofWeeder] = [await browser.measure(), cost()];
  await pause(restMs);
  return { loads, atRest: { weeder, withPage: { weeder: ofWeeder(), ...(await ofPage()) } } };
}

/** The halves of a round take turns in which of them is first. */
async function measureRounds(
  scene: LivePageScene,
  { url, cost }: Subject,
  { pages, changing, seconds, rounds: count, log }: LivePageOptions,
): Promise<LivePageCase['rounds']> {
  const rounds: LivePageCase['rounds'] = [];
  useCores('separate');
  try {
    const half = () => measureChanges(scene, changing, seconds, cost());
    const halfWithPages = async () => {
      await using browser = await startBrowser();
      for (let page = 0; page < pages; page += 1) await browser.open(url, views[page % views.length] ?? views[0]);
      await pause(settleMs);
      browser.yieldCore();
      const ofPages = await browser.measure();
      return { ...(await half()), pages: await ofPages() };
    };
    for (let round = 1; round <= count; round += 1) {
      const first = round % 2 === 1 ? await half() : undefined;
      const withPages = await halfWithPages();
      const without = first ?? (await half());
      rounds.push({ without, withPages });
      log(`round ${round}: p99 ${without.p99} ms without pages, ${withPages.p99} ms with ${pages}`);
    }
  } finally {
    useCores('shared');
  }
  return rounds;
}

const Actors = z.object({ total: z.number() });

async function untilActors(url: string, count: number): Promise<void> {
  const deadline = monotonic() + 60_000;
  for (let total = 0; total < count; await pause(100)) {
    ({ total } = Actors.parse(await (await fetch(new URL('/actors?limit=0', url))).json()));
    if (monotonic() > deadline) throw new Error(`weeder has ${total} actors, and not ${count}`);
  }
}

function costOf(pid: number): () => () => Cost {
  return () => {
    const before = { at: monotonic(), cpu: cpuSeconds(pid) };
    return () => {
      const cpu = (100_000 * (cpuSeconds(pid) - before.cpu)) / (monotonic() - before.at);
      return { cpu: rounded(cpu, 2), memory: rounded(memoryOf(pid).rss) };
    };
  };
}

/** The page with the median time of three. */
async function medianLoad(browser: Browser, url: string, view: string): Promise<Load> {
  const loads: Load[] = [];
  for (let time = 0; time < 3; time += 1) {
    loads.push(await browser.open(url, view));
    await browser.closePages();
  }
  const [, middle] = loads.sort((one, other) => one.firstRows - other.firstRows);
  if (middle === undefined) throw new Error(view);
  return middle;
}

async function measureChanges(
  scene: LivePageScene,
  changing: number,
  seconds: number,
  ofWeeder: () => Cost,
): Promise<Changes> {
  const latencies = await scene.change(changing, 1000 * seconds);
  const weeder = ofWeeder();
  const of = (p: number) => rounded(percentile(latencies, p));
  return { deletions: latencies.length, p50: of(50), p99: of(99), max: of(100), weeder };
}

async function measureScrolling(services: number): Promise<Scrolling> {
  await using browser = await startBrowser();
  const { elements, atRest, scrolling } = await browser.scroll(services, scrollMs);
  return { services, elements, atRest: framesOf(atRest), scrolling: framesOf(scrolling) };
}

function framesOf({ times, cpu }: Scrolled['atRest']): Frames {
  const between = times.slice(1).map((time, index) => time - (times[index] ?? Number.NaN));
  const perSecond = 1000 / (between.reduce((sum, each) => sum + each, 0) / between.length);
  return {
    perSecond: rounded(perSecond),
    longest: rounded(Math.max(...between)),
    cpu: rounded(cpu / between.length, 2),
  };
}
