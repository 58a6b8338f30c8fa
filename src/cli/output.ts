import type { Problem } from '../errors.ts';

/** Exit codes: 1 when something is wrong, 2 when the command line is. */
export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const;

/** Says a problem in one sentence on the error output and gives the exit code that goes with it. */
export function fail({ code, sentence, advice }: Problem): number {
  process.stderr.write(`weeder: ${sentence} ${advice}\n`);
  return code === 'USAGE' ? exitCodes.usage : exitCodes.failed;
}
