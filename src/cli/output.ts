import type { Problem } from '../errors.ts';

/** Exit codes: 1 when something is wrong, 2 when the command line is. */
export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const;

/** Says a problem on the error output, and what to do about it, and gives the exit code that goes with it. */
export function fail({ code, sentence, advice }: Problem): number {
  const isLong = sentence.includes('\n');
  process.stderr.write(`weeder: ${sentence}${advice === '' ? '' : `${isLong ? '\n' : ' '}${advice}`}\n`);
  return code === 'USAGE' ? exitCodes.usage : exitCodes.failed;
}
