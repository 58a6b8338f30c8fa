import type { ErrorCode } from './errors.ts';
import { printable } from './printable.ts';

/** One thing that is wrong with a config file. Without a line, it is about the file as a whole. */
export interface ConfigFault {
  readonly code: Extract<ErrorCode, 'CONFIG_UNREADABLE' | 'CONFIG_INVALID'>;
  readonly file: string;
  /** From 1. */
  readonly line: number | undefined;
  /** From 1. */
  readonly column: number | undefined;
  /** The key, from the top: `servicesAndDependantSelectors.db.podSelectors[0]`; empty for the file or its top level. */
  readonly path: string;
  readonly message: string;
}

export type Path = readonly PropertyKey[];

const shownFaults = 50;

/** One line: `weeder.yaml:7:13 watchDuration: found "5", …`. */
export function formatFault(fault: ConfigFault): string {
  const place = fault.line === undefined ? fault.file : `${fault.file}:${fault.line}:${fault.column ?? 1}`;
  return printable(fault.path === '' ? `${place}: ${fault.message}` : `${place} ${fault.path}: ${fault.message}`);
}

/** One line a fault, the first `limit` of them, and a last line that counts the rest. */
export function formatFaults(faults: readonly ConfigFault[], limit = shownFaults): string {
  const lines = faults.slice(0, limit).map(formatFault);
  const more = faults.length - lines.length;
  if (more > 0) lines.push(`and ${more} more ${more === 1 ? 'fault' : 'faults'}`);
  return lines.join('\n');
}

/** The path of a key as it is printed: `a.b[0]["gardener.cloud/role"]`. */
export function formatPath(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (/^[A-Za-z0-9_-]{1,63}$/.test(String(step))) text += text === '' ? String(step) : `.${String(step)}`;
    else text += `[${quoted(String(step))}]`;
  }
  return text;
}

/** Text from the file inside a sentence: in quotes, shortened, with everything escaped that could move a cursor. */
export function quoted(text: string): string {
  return printable(JSON.stringify(clipped(text)));
}

/** Foreign text (a parser's message, an unquoted scalar) made safe for one line of a terminal. */
export function oneLine(text: string): string {
  return printable(clipped(text));
}

const longest = 100;

function clipped(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
