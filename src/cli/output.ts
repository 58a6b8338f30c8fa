import type { CodedError } from '../base/errors.ts';
import { printable, printableLines } from '../base/printable.ts';

/** Exit codes: 1 when something is wrong, 2 when the command line is. */
export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const;

/** Says a problem on the error output, and what to do about it, and gives the exit code that goes with it. */
export function fail({ code, message, hint }: CodedError): number {
  // Of several errors each has its line, and has been made printable by itself.
  const said = code === 'CONFIG_INVALID' ? printableLines(message) : printable(message);
  const isLong = said.includes('\n');
  process.stderr.write(`weeder: ${said}${hint === '' ? '' : `${isLong ? '\n' : ' '}${printable(hint)}`}\n`);
  return code === 'USAGE' ? exitCodes.usage : exitCodes.failed;
}

/** Writes texts of ours, one or more lines each, with foreign words in them. */
export function print(...texts: readonly string[]): void {
  process.stdout.write(`${printableLines(texts.join('\n'))}\n`);
}

/** Writes lines, in which a line feed is somebody else's. */
export function printLines(lines: readonly string[]): void {
  process.stdout.write(`${lines.map(printable).join('\n')}\n`);
}

/** The same on the error output. */
export function printErrors(lines: readonly string[]): void {
  process.stderr.write(`${lines.map(printable).join('\n')}\n`);
}
