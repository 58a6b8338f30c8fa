import { readFileSync } from 'node:fs';

type Row = Readonly<Record<string, unknown>>;

/** The rows of a `.jsonl` table beside this file, which a Go program there has printed. */
export function rowsOf(name: string): readonly Row[] {
  const text = readFileSync(new URL(name, import.meta.url), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Row => JSON.parse(line));
}
