import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { CreationCase } from '../creation/creationResults.ts';
import { DriftCase } from '../drift/driftResults.ts';
import { HostileCase } from '../drift/hostileResults.ts';
import { ThousandCase } from '../drift/thousandResults.ts';
import { LivePageCase } from '../livePage/livePageResults.ts';
import { ActorsCase } from '../recovery/actorsResults.ts';
import { HerdCase } from '../recovery/herdResults.ts';
import { RecoveryCase } from '../recovery/recoveryResults.ts';
import { RestCase } from '../recovery/restResults.ts';
import { ScaleCase } from '../recovery/scaleResults.ts';
import { StartCase } from '../recovery/startResults.ts';
import { RestartCase } from '../restart/restartResults.ts';

/** The machine of a benchmark. Figures of different machines cannot be compared. */
export const Machine = z.object({
  cores: z.number(),
  cpu: z.string(),
  /** GiB. */
  memory: z.number(),
  kernel: z.string(),
  node: z.string(),
  /** The load average of the minute before. */
  load: z.number(),
});
export type Machine = z.infer<typeof Machine>;

function section<T extends z.ZodType>(item: T) {
  return z.object({ date: z.string(), machine: Machine, cases: z.array(item) }).optional();
}

/** The results of all benchmarks, each with its date and machine. */
export const Results = z.object({
  recovery: section(RecoveryCase),
  herd: section(HerdCase),
  creation: section(CreationCase),
  scale: section(ScaleCase),
  actors: section(ActorsCase),
  start: section(StartCase),
  rest: section(RestCase),
  restart: section(RestartCase),
  observer: section(DriftCase),
  thousand: section(ThousandCase),
  hostile: section(HostileCase),
  page: section(LivePageCase),
});
export type Results = z.infer<typeof Results>;

/** The results that docs/development/benchmarks.md shows. */
export const committed = join(import.meta.dirname, '../results.json');

export function readResults(file: string): Results {
  return existsSync(file) ? Results.parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
}

export function thisMachine(): Machine {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memory: Math.round(totalmem() / 2 ** 30),
    kernel: `Linux ${release()}`,
    node: process.version,
    load: Number((loadavg()[0] ?? 0).toFixed(1)),
  };
}
