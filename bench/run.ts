/**
 * `npm run bench -- [recovery] [--namespaces 1,50,100,200,1000] [--runs 3]`: measures weeder, and what is needed at
 * least, side by side. Figures are only comparable within one run.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { SetupProblem } from '../test/cluster/support/process.ts';
import { candidateNames } from './candidates.ts';
import { measureRecovery } from './recovery.ts';
import { recoveryReport } from './recoveryReport.ts';

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    namespaces: { type: 'string', default: '1,50,100,200,1000' },
    runs: { type: 'string', default: '3' },
    idle: { type: 'string', default: '3' },
    only: { type: 'string' },
    profile: { type: 'string' },
    json: { type: 'string', default: 'bench/results/last.json' },
  },
});

try {
  const only = values.only?.split(',');
  const cases = await measureRecovery({
    namespaces: values.namespaces.split(',').map(Number),
    rounds: Number(values.runs),
    idleMs: 1000 * Number(values.idle),
    candidates: candidateNames.filter((name) => only?.includes(name) ?? true),
    profile: values.profile,
    say: (line) => console.error(line),
  });
  mkdirSync(dirname(values.json), { recursive: true });
  writeFileSync(values.json, `${JSON.stringify({ recovery: cases }, null, 2)}\n`);
  console.log(recoveryReport(cases));
} catch (error) {
  console.error(error instanceof SetupProblem ? error.message : error);
  process.exitCode = 1;
}
