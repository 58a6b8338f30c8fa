import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { failed, formatDuration, ok, type Result } from '@weeder/kube-runtime/base';
import { LineCounter, parseDocument } from 'yaml';
import { formatPath, oneLine } from '../../../src/base/fieldError.ts';
import { type Config, resolveConfig } from '../../../src/config/config.ts';
import { locate } from '../../../src/config/text/document.ts';
import { type LocatedError, offsetOf } from '../../../src/config/text/located.ts';
import { fieldErrorsOf, noMessage } from '../../../src/config/text/messages.ts';
import { type ReplayScript, replayFormat, replayKeysAt } from './replayFormat.ts';
import { type RecordedEvent, readRecording } from './replayRecording.ts';

/** A replay that is ready to be played; each `where` is the `file:line` to name when it fails. */
export interface Replay extends ReplayScript {
  readonly resolved: Config;
  readonly recorded: readonly RecordedEvent[];
  readonly where: string;
  readonly whereStep: readonly string[];
  readonly whereLine: readonly string[];
  readonly whereEnd: string;
}

const root = resolve(import.meta.dirname, '../../..');

/** Reads a replay file from the repository; otherwise all errors in it, one sentence each. */
export function readReplay(path: string): Result<Replay, readonly string[]> {
  return parseReplay(readFileSync(path, 'utf8'), relative(root, path));
}

/** Parses a replay. `file` is relative to the repository, and so are the recordings that it refers to. */
export function parseReplay(text: string, file: string): Result<Replay, readonly string[]> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const at = (offset: number) => `${file}:${lines.linePos(offset).line}`;
  const say = ({ offset, path, message }: LocatedError) =>
    `${at(offset)}: ${path.length === 0 ? '' : `${formatPath(path)}: `}${message}`;
  const syntax = document.errors.map(({ pos, message }) => `${at(pos[0])}: not valid YAML: ${oneLine(message)}`);
  if (syntax.length > 0) return failed(syntax);
  const read = locate(document, (offset) => lines.linePos(offset).line);
  const parsed = replayFormat.safeParse(read.root.value, { error: () => noMessage });
  const issues = parsed.success ? [] : parsed.error.issues;
  const errors = [
    ...read.broken,
    ...read.errors,
    ...issues.flatMap((each) => fieldErrorsOf(each, read.root, replayKeysAt)),
  ];
  if (!parsed.success || errors.length > 0) return failed(errors.map(say));
  const script = parsed.data;
  const where = (...path: readonly PropertyKey[]) => at(offsetOf(read.root, path));
  const disorder = [...disorderIn('steps', script.steps, where), ...disorderIn('expected', script.expected, where)];
  if (disorder.length > 0) return failed(disorder);
  const recordings = script.recordings.map((name, index) =>
    readRecording(resolve(root, dirname(file), name), where('recordings', index)),
  );
  const broken = recordings.flatMap((each) => (each.ok ? [] : each.error));
  if (broken.length > 0) return failed(broken);
  return ok({
    ...script,
    resolved: resolveConfig(script.config),
    recorded: recordings.flatMap((each) => (each.ok ? each.value : [])).toSorted((a, b) => a.time - b.time),
    where: where('title'),
    whereStep: script.steps.map((_, index) => where('steps', index)),
    whereLine: script.expected.map((_, index) => where('expected', index)),
    whereEnd: where('expected'),
  });
}

function disorderIn(
  key: string,
  entries: readonly { readonly at: number }[],
  where: (...path: readonly PropertyKey[]) => string,
): string[] {
  return entries.flatMap(({ at }, index) => {
    const earlier = entries[index - 1]?.at ?? 0;
    if (at >= earlier) return [];
    const times = `${formatDuration(at)} comes after ${formatDuration(earlier)}`;
    return [`${where(key, index)}: ${key}[${index}]: out of order: ${times}`];
  });
}
