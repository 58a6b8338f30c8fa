import type { CodedError } from '@weeder/kube-runtime/base';
import { printable, printableLines } from '../base/printable.ts';

/** Exit codes: 1 for an error, 2 for an invalid command line. */
export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const;

/** Prints an error and its hint on stderr, and returns the exit code. */
export function fail({ code, message, hint }: CodedError): number {
  // Each of several errors is on a line of its own, and has already been made printable.
  const text = code === 'CONFIG_INVALID' ? printableLines(message) : printable(message);
  const isLong = text.includes('\n');
  process.stderr.write(`weeder: ${text}${hint === '' ? '' : `${isLong ? '\n' : ' '}${printable(hint)}`}\n`);
  return code === 'USAGE' ? exitCodes.usage : exitCodes.failed;
}

/** Prints weeder's own texts of one or more lines, which may contain foreign text. */
export function print(...texts: readonly string[]): void {
  process.stdout.write(`${printableLines(texts.join('\n'))}\n`);
}

/** Prints lines in which a line feed must come from foreign text. */
export function printLines(lines: readonly string[]): void {
  process.stdout.write(`${lines.map(printable).join('\n')}\n`);
}

/** Prints lines on stderr, if there are any. */
export function printErrors(lines: readonly string[]): void {
  if (lines.length > 0) process.stderr.write(`${lines.map(printable).join('\n')}\n`);
}

/** Prints remarks on the output, each in a clause without a full stop, on stderr. */
export function printRemarks(remarks: readonly string[]): void {
  printErrors(remarks.map((remark) => `weeder: ${remark}.`));
}
