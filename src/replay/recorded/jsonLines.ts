import { open } from 'node:fs/promises';
import {
  type CodedError,
  failed,
  isObject,
  type JsonObject,
  messageOf,
  ok,
  parseJson,
  type Result,
} from '@weeder/kube-runtime/base';
import { codedError } from '../../base/errors.ts';
import { oneLine } from '../../base/fieldError.ts';

/** A JSON object in a file, and its position. */
export interface JsonLine {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly value: JsonObject;
}

/** A file of one JSON object a line. */
export interface JsonFile {
  /** The first of `lines`. */
  readonly first: JsonLine;
  readonly rest: readonly JsonLine[];
  /** The last line is incomplete: the writer was killed, or the file was truncated. */
  readonly cut: CodedError | undefined;
}

/** Reads a file of one JSON object a line. Never throws. */
export async function readJsonLines(file: string): Promise<Result<JsonFile>> {
  const texts = await readTexts(file);
  if (!texts.ok) return texts;
  const lines: JsonLine[] = [];
  let cut: CodedError | undefined;
  for (const [index, text] of texts.value.entries()) {
    if (text.trim() === '') continue;
    const value = parse(text);
    const here = { file, line: index + 1 };
    if (value !== undefined) lines.push({ ...here, value });
    else {
      const why = whyNoObject(text, lines.length === 0, isLast(texts.value, index));
      if (why !== cutLine) return failed(invalid(here, why));
      cut = invalid(here, why);
    }
  }
  const [first, ...rest] = lines;
  return first === undefined ? failed(codedError('RECORDING_INVALID', `${file} is empty.`)) : ok({ first, rest, cut });
}

/** Returns an error for a line. `message`: a clause. */
export function invalid({ file, line }: Pick<JsonLine, 'file' | 'line'>, message: string): CodedError {
  return codedError('RECORDING_INVALID', `${file}:${line}: ${message}.`);
}

function isLast(texts: readonly string[], index: number): boolean {
  return texts.slice(index + 1).every((text) => text.trim() === '');
}

/** Output of kubectl that is not a line of JSON, by its beginning. */
const foreign: readonly (readonly [RegExp, string])[] = [
  [
    /^(error: |Error from server|The connection to the server |Unable to connect to the server|[EW]\d{4} )/,
    'found a message of kubectl in place of an event; only its standard output belongs into the file',
  ],
  [/^(EVENT +)?(NAMESPACE|NAME) +/, 'found a table of kubectl; expected the output of kubectl get … -o json'],
  [/^(object|apiVersion):/, 'found YAML; expected the output of kubectl get … -o json'],
  [
    /^\{\s*$/,
    'found JSON over several lines; kubectl get … --watch needs --output-watch-events, which writes one a line',
  ],
];

const cutLine = 'the file was cut in the middle of its last line; without that line the rest can be replayed';

function whyNoObject(text: string, isFirst: boolean, isLastLine: boolean): string {
  const format = foreign.find(([pattern]) => pattern.test(text));
  if (format !== undefined) return format[1];
  if (isFirst) return 'found no JSON object, so this is neither a recording nor a file of watch events';
  if (isLastLine) return cutLine;
  return 'the line is garbled: found no JSON object';
}

function parse(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

async function readTexts(path: string): Promise<Result<readonly string[]>> {
  try {
    await using file = await open(path, 'r');
    const start = Buffer.alloc(4);
    const { bytesRead } = await file.read(start, 0, start.length, 0);
    const why = whyNoText(start.subarray(0, bytesRead));
    if (why !== undefined) return failed(codedError('RECORDING_INVALID', `${path} ${why}.`));
    const texts = await linesOf(file.createReadStream({ encoding: 'utf8', start: 0, autoClose: false }));
    return ok(texts.map((text, index) => (index === 0 ? text.replace(/^\uFEFF/, '') : text)));
  } catch (error) {
    return failed(codedError('RECORDING_UNREADABLE', `Cannot read ${path}: ${whyUnreadable(error)}.`));
  }
}

/**
 * Splits only at line feeds: JSON strings may contain the separators U+2028 and U+2029, at which readline splits as
 * well.
 */
async function linesOf(pieces: AsyncIterable<string>): Promise<string[]> {
  const texts: string[] = [];
  let rest = '';
  for await (const piece of pieces) {
    const [first = '', ...more] = piece.split('\n');
    rest += first;
    for (const text of more) {
      texts.push(rest);
      rest = text;
    }
  }
  return rest === '' ? texts : [...texts, rest];
}

/** Returns why a file is not UTF-8 text, by its first bytes; undefined if it may be. */
function whyNoText(start: Buffer): string | undefined {
  const [a, b] = start;
  if (a === 0x1f && b === 0x8b) return 'is compressed; unpack it first, as with gunzip';
  const isWide =
    (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) || (start.length > 1 && a === 0x7b && b === 0);
  if (isWide) return 'is written in UTF-16, as PowerShell does it; convert it to UTF-8 first';
  return undefined;
}

function whyUnreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'it is a directory';
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not read it';
  return oneLine(messageOf(error));
}
