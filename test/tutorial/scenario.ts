/**
 * `scenario.ts NAME ARCHIVES`: follows one page, in a Linux namespace for networks that `run.ts` has created. NAME is a
 * scenario, or the path of another page.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openNetwork } from './cluster.ts';
import { readPage } from './page.ts';
import { findPrograms } from './programs.ts';
import { newReader, type Reader } from './reader.ts';
import { scenarios } from './scenarios.ts';

const [name = '', archives = ''] = process.argv.slice(2);
const { page, omits, before, after } = scenarios.get(name) ?? { page: name };
const steps = readPage(readFileSync(join(import.meta.dirname, '..', '..', page), 'utf8'), omits);
const began = performance.now();
const report = (what: string): void =>
  console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${what}`);

async function follow(reader: Reader): Promise<void> {
  await before?.(reader);
  for (const step of steps) {
    report('file' in step ? `(saves ${step.file})` : `$ ${step.command}`);
    process.stdout.write(await reader.take(step));
  }
  await after?.(reader);
}

openNetwork();
const reader = newReader(await findPrograms(), archives);
try {
  await follow(reader);
  report('followed to the end');
} catch (error) {
  report(`failed: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  await reader.leave();
}
