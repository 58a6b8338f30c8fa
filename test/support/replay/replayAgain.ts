import { relative, resolve } from 'node:path';
import type { CodedError } from '@weeder/kube-runtime/base';
import { type Difference, differences } from '../../../src/replay/recorded/compare.ts';
import { readJsonLines } from '../../../src/replay/recorded/jsonLines.ts';
import { readRecording } from '../../../src/replay/recorded/recordingFile.ts';
import type { TimelineEvent } from '../../../src/replay/recorded/timelineEvent.ts';
import { replayRecording } from '../../../src/replay/replayRecording.ts';

const root = resolve(import.meta.dirname, '../../..');

/**
 * Replays a recording and returns each decision that differs from the recorded ones, with its `file:line`. For one that
 * is not in the file, that is the last line before its time.
 */
export async function playRecording(path: string): Promise<readonly string[]> {
  const file = relative(root, path);
  const sentenceOf = ({ message }: CodedError) => [message.replace(path, file)];
  const read = await readJsonLines(path);
  if (!read.ok) return sentenceOf(read.error);
  const { first, rest, cut } = read.value;
  if (cut !== undefined) return sentenceOf(cut);
  const recording = readRecording(first, rest);
  if (!recording.ok) return sentenceOf(recording.error);
  const replay = await replayRecording(recording.value);
  const { lines } = recording.value;
  // The header is line 1; an event of the recording is the very line that was read.
  const lineOf = (difference: Difference) =>
    rest[
      difference.type === 'extra'
        ? lines.findLastIndex(({ t }) => t <= difference.event.t)
        : lines.findIndex((line) => Object.is(line, difference.event))
    ]?.line ?? 1;
  return differences(replay).map((each) => `${file}:${lineOf(each)}: ${asText(each)}`);
}

function asText(difference: Difference): string {
  const { event } = difference;
  if ('replayedAt' in difference) return `expected ${textOf(event)}, saw it at ${difference.replayedAt} ms`;
  return difference.type === 'missing'
    ? `expected ${textOf(event)}, saw nothing`
    : `expected nothing, saw ${textOf(event)}`;
}

function textOf({ t, out, about, pod, detail }: TimelineEvent): string {
  return `"${[`${t} ms`, out, about, pod, detail].filter((part) => part !== undefined && part !== '').join(' ')}"`;
}
