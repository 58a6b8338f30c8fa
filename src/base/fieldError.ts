import type { ErrorCode } from './errors.ts';
import { printable } from './printable.ts';

/** One error in a config file. Without a line, the error concerns the file as a whole. */
export interface FieldError {
  readonly code: Extract<ErrorCode, 'CONFIG_UNREADABLE' | 'CONFIG_INVALID'>;
  readonly file: string;
  /** From 1. */
  readonly line: number | undefined;
  /** From 1. */
  readonly column: number | undefined;
  /** The path of the key: `servicesAndDependantSelectors.db.podSelectors[0]`; empty for the file or its top level. */
  readonly path: string;
  readonly message: string;
}

export type Path = readonly PropertyKey[];

const shownErrors = 50;

/** One line: `weeder.yaml:7:13 watchDuration: found "5", …`. */
export function formatFieldError(error: FieldError): string {
  const place = error.line === undefined ? error.file : `${error.file}:${error.line}:${error.column ?? 1}`;
  return printable(error.path === '' ? `${place}: ${error.message}` : `${place} ${error.path}: ${error.message}`);
}

/** One line per error for the first `limit` errors, and a last line with the number of the others. */
export function formatFieldErrors(errors: readonly FieldError[], limit = shownErrors): string {
  const lines = errors.slice(0, limit).map(formatFieldError);
  const more = errors.length - lines.length;
  if (more > 0) lines.push(`and ${more} more ${more === 1 ? 'error' : 'errors'}`);
  return lines.join('\n');
}

/** The path of a key for messages: `a.b[0]["gardener.cloud/role"]`. */
export function formatPath(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (/^[A-Za-z0-9_-]{1,63}$/.test(String(step))) text += text === '' ? String(step) : `.${String(step)}`;
    else text += `[${quoted(String(step))}]`;
  }
  return text;
}

/**
 * Text from the file for use in a sentence: quoted, shortened, and with everything escaped that could move a cursor.
 */
export function quoted(text: string): string {
  return printable(JSON.stringify(clipped(text)));
}

/** Makes foreign text (a parser's message, an unquoted scalar) safe for one line of a terminal. */
export function oneLine(text: string): string {
  return printable(clipped(text));
}

const longest = 100;

function clipped(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
