/**
 * `npm run bench -- [recovery] [herd] [creation] [scale] [actors] [start] [rest] [restart] [observer] [thousand] [hostile] [page]`: measures
 * weeder, and for recoveries and corrections a bare client as well. Figures are only comparable within one run.
 *
 *   --all               all twelve; default: recovery
 *   --namespaces LIST   of the recoveries (default 1,10,50,100,200,1000)
 *   --cores LIST        of the recoveries: separate (the API server on one core, the client on another), shared
 *                       (default both)
 *   --herd N            dependants of the one service of herd (default 1000)
 *   --refused N,…       objects of each kind of creation (default 20,340)
 *   --outage SECONDS,…  of the webhook of creation, for each of these numbers (default 660,60)
 *   --pods LIST         of scale (default 20000,50000,100000)
 *   --many N            podSelectors, and declared services, of scale (default 10000)
 *   --services LIST     of actors (default 100,1000,10000)
 *   --watched LIST      separately watched namespaces, of rest (default 40,100)
 *   --workloads LIST    of restart, with ten times as many ConfigMaps and Secrets (default 500,2000)
 *   --applications LIST  of observer, of five resources each (default 1000)
 *   --thousand LIST     numbers of applications that have the thousand resources (default 200,10)
 *   --hostile N         number of hostile applications (default 20)
 *   --pages N           live pages that are open at the same time, of page (default 10)
 *   --seconds N         how long services change in each half of a round of page (default 60)
 *   --runs N            rounds of recovery (default 5), start, thousand, hostile and page (default 3)
 *   --idle SECONDS      how long a process at rest is measured (default 3, of observer and thousand 30, of rest 60)
 *   --only LIST         candidates of recovery and observer, such as bare,weeder; kinds of scale, such as 'matching;declaring'
 *   --profile DIR       write CPU profiles there, and print where the time of recovery, restart and observer goes
 *   --json FILE         write the results there (default bench/results/last.json)
 *   --write             write the results to bench/results.json, and docs/development/benchmarks.md
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { SetupProblem } from '../test/cluster/support/plane/process.ts';
import { measureCreation } from './creation/creation.ts';
import type { CreationCase } from './creation/creationResults.ts';
import { measureDrift, observerIdleMs } from './drift/drift.ts';
import { driftReport } from './drift/driftReport.ts';
import { measureHostile } from './drift/hostile.ts';
import { hostileReport } from './drift/hostileReport.ts';
import { measureThousand } from './drift/thousand.ts';
import { thousandReport } from './drift/thousandReport.ts';
import { measureLivePage } from './livePage/livePage.ts';
import { livePageReport } from './livePage/livePageReport.ts';
import { measureActors } from './recovery/actors.ts';
import { candidateNames } from './recovery/candidates.ts';
import { measureHerd } from './recovery/herd.ts';
import { measureRecovery } from './recovery/recovery.ts';
import { recoveryReport } from './recovery/recoveryReport.ts';
import { measureRest } from './recovery/rest.ts';
import { measureScale } from './recovery/scale.ts';
import { measureStart } from './recovery/start.ts';
import { measureRestart } from './restart/restart.ts';
import { restartReport } from './restart/restartReport.ts';
import { coresModes } from './support/cores.ts';
import {
  actorsReport,
  creationReport,
  herdReport,
  restReport,
  scaleReport,
  startReport,
} from './support/otherReports.ts';
import { benchmarksPage } from './support/page.ts';
import { committed, type Results, readResults, thisMachine } from './support/results.ts';

const names = [
  ...(['recovery', 'herd', 'creation', 'scale', 'actors', 'start', 'rest'] as const),
  ...(['restart', 'observer', 'thousand', 'hostile', 'page'] as const),
] as const;
type Name = (typeof names)[number];
type Flags = ReturnType<typeof readFlags>;

const log = (line: string): void => console.error(line);

async function main(): Promise<void> {
  const { chosen: selected, flags } = readFlags();
  let results: Results = {};
  for (const name of selected) {
    log(`${name}:`);
    results = { ...results, ...(await runBenchmark(name, flags)) };
    // Writes the results after each benchmark, because the next one may fail.
    write(flags.json, results);
    if (flags.write) {
      const allResults = { ...readResults(committed), ...results };
      write(committed, allResults);
      writeFileSync(
        join(import.meta.dirname, '..', 'docs', 'development', 'benchmarks.md'),
        benchmarksPage(allResults),
      );
    }
  }
}

/** Runs one benchmark, and prints its results. */
async function runBenchmark(name: Name, flags: Flags['flags']): Promise<Results> {
  const source = { date: new Date().toISOString().slice(0, 10), machine: thisMachine() };
  if (name === 'recovery') {
    const only = flags.only?.split(',');
    const cases = await measureRecovery({
      namespaces: numbers('--namespaces', flags.namespaces),
      cores: coresModes.filter((mode) => flags.cores.split(',').includes(mode)),
      rounds: roundsOf(flags, 5),
      idleMs: idleOf(flags, 3_000),
      candidates: candidateNames.filter((candidate) => only?.includes(candidate) ?? true),
      profile: flags.profile,
      log,
    });
    console.log(recoveryReport(cases));
    return { recovery: { ...source, cases } };
  }
  if (name === 'herd') {
    const cases = await measureHerd(wholeNumber('--herd', flags.herd), log);
    console.log(herdReport(cases));
    return { herd: { ...source, cases } };
  }
  if (name === 'creation') {
    const outages = numbers('--outage', flags.outage);
    const cases: CreationCase[] = [];
    for (const [index, objects] of numbers('--refused', flags.refused).entries()) {
      cases.push(...(await measureCreation({ objects, outage: outages[index] ?? outages[0] ?? 0, log })));
    }
    console.log(creationReport(cases));
    return { creation: { ...source, cases } };
  }
  if (name === 'scale') {
    const [counts, many] = [numbers('--pods', flags.pods), wholeNumber('--many', flags.many)];
    const cases = await measureScale({ counts, many, only: flags.only?.split(';'), log });
    console.log(scaleReport(cases));
    return { scale: { ...source, cases } };
  }
  if (name === 'actors') {
    const cases = await measureActors(numbers('--services', flags.services), log);
    console.log(actorsReport(cases));
    return { actors: { ...source, cases } };
  }
  if (name === 'rest') {
    const watched = numbers('--watched', flags.watched);
    const cases = await measureRest({ watched, restMs: idleOf(flags, 60_000), log });
    console.log(restReport(cases));
    return { rest: { ...source, cases } };
  }
  if (name === 'restart') {
    const workloads = numbers('--workloads', flags.workloads);
    const { profile } = flags;
    const cases = await measureRestart({ workloads, idleMs: idleOf(flags, 3_000), profile, log });
    console.log(restartReport(cases));
    return { restart: { ...source, cases } };
  }
  if (name === 'observer') {
    const { profile } = flags;
    const applications = numbers('--applications', flags.applications);
    const idleMs = idleOf(flags, observerIdleMs);
    const cases = await measureDrift({ applications, idleMs, only: flags.only?.split(','), profile, log });
    console.log(driftReport(cases));
    return { observer: { ...source, cases } };
  }
  if (name === 'thousand') {
    const cases = await measureThousand({
      applications: numbers('--thousand', flags.thousand),
      rounds: roundsOf(flags, 3),
      restMs: idleOf(flags, 30_000),
      profile: flags.profile,
      log,
    });
    console.log(thousandReport(cases));
    return { thousand: { ...source, cases } };
  }
  if (name === 'hostile') {
    const hostile = wholeNumber('--hostile', flags.hostile);
    const cases = await measureHostile({
      hostile,
      rounds: roundsOf(flags, 3),
      profile: flags.profile,
      log,
    });
    console.log(hostileReport(cases));
    return { hostile: { ...source, cases } };
  }
  if (name === 'page') {
    const cases = await measureLivePage({
      services: 1000,
      changing: 200,
      scrolled: 10_000,
      pages: wholeNumber('--pages', flags.pages),
      seconds: wholeNumber('--seconds', flags.seconds),
      rounds: roundsOf(flags, 3),
      log,
    });
    console.log(livePageReport(cases));
    return { page: { ...source, cases } };
  }
  const cases = await measureStart(roundsOf(flags, 3), log);
  console.log(startReport(cases));
  return { start: { ...source, cases } };
}

function roundsOf({ runs }: Flags['flags'], usual: number): number {
  return runs === undefined ? usual : wholeNumber('--runs', runs);
}

/** Milliseconds. */
function idleOf({ idle }: Flags['flags'], usual: number): number {
  return idle === undefined ? usual : 1000 * Number(idle);
}

function write(file: string, results: Results): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}

function readFlags() {
  const { values, positionals } = parseFlags();
  const unknown = positionals.find((word) => !names.some((name) => name === word));
  if (unknown !== undefined) throw new SetupProblem(`There is no benchmark ${unknown}: ${names.join(', ')}.`);
  const named = names.filter((name) => values.all || positionals.includes(name));
  return { chosen: named.length > 0 ? named : (['recovery'] as const), flags: values };
}

function parseFlags() {
  const text = (value: string) => ({ type: 'string', default: value }) as const;
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        all: { type: 'boolean', default: false },
        namespaces: text('1,10,50,100,200,1000'),
        cores: text(coresModes.join(',')),
        herd: text('1000'),
        refused: text('20,340'),
        outage: text('660,60'),
        pods: text('20000,50000,100000'),
        many: text('10000'),
        services: text('100,1000,10000'),
        watched: text('40,100'),
        workloads: text('500,2000'),
        thousand: text('200,10'),
        hostile: text('20'),
        pages: text('10'),
        seconds: text('60'),
        runs: { type: 'string' },
        applications: text('1000'),
        idle: { type: 'string' },
        only: { type: 'string' },
        profile: { type: 'string' },
        json: text(join(import.meta.dirname, 'results', 'last.json')),
        write: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new SetupProblem(error instanceof Error ? error.message : String(error));
  }
}

function numbers(flag: string, list: string): number[] {
  return list.split(',').map((each) => wholeNumber(flag, each));
}

function wholeNumber(flag: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new SetupProblem(`${flag} takes whole numbers from 1; found ${text}.`);
  return value;
}

try {
  await main();
} catch (error) {
  console.error(error instanceof SetupProblem ? error.message : error);
  process.exitCode = 1;
}
