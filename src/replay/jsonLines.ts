import { open } from 'node:fs/promises';
import { oneLine } from '../config/fault.ts';
import { failed, messageOf, ok, type Problem, problem, type Result } from '../errors.ts';
import { isObject, type JsonObject } from '../json.ts';

/** One JSON object of a file, and where it stands. */
export interface JsonLine {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly value: JsonObject;
}

/** Reads a file of one JSON object a line. Never throws, and never gives an empty list. */
export async function readJsonLines(file: string): Promise<Result<readonly JsonLine[]>> {
  const texts = await readTexts(file);
  if (!texts.ok) return texts;
  const lines: JsonLine[] = [];
  for (const [index, text] of texts.value.entries()) {
    if (text.trim() === '') continue;
    const value = parse(text);
    const isLast = index === texts.value.length - 1;
    if (value === undefined) return failed(invalid({ file, line: index + 1 }, whyNoObject(index, isLast)));
    lines.push({ file, line: index + 1, value });
  }
  return lines.length === 0 ? failed(problem('RECORDING_INVALID', `${file} is empty.`)) : ok(lines);
}

/** What is wrong with a line, as half a sentence. */
export function invalid({ file, line }: Pick<JsonLine, 'file' | 'line'>, message: string): Problem {
  return problem('RECORDING_INVALID', `${file}:${line}: ${message}.`);
}

function whyNoObject(index: number, isLast: boolean): string {
  if (index === 0) return 'found no JSON object, so this is neither a recording nor a file of watch events';
  if (isLast) return 'the file was cut in the middle of its last line; without that line the rest can be replayed';
  return 'the line is garbled: found no JSON object';
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

async function readTexts(path: string): Promise<Result<readonly string[]>> {
  try {
    const file = await open(path, 'r');
    const texts: string[] = [];
    for await (const text of file.readLines({ autoClose: true })) texts.push(text);
    return ok(texts);
  } catch (error) {
    return failed(problem('RECORDING_UNREADABLE', `Cannot read ${path}: ${whyUnreadable(error)}.`));
  }
}

function whyUnreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'it is a directory';
  return oneLine(messageOf(error));
}
