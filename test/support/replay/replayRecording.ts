import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import {
  failed,
  isObject,
  type JsonObject,
  messageOf,
  ok,
  type Result,
  textOf,
  timeOf,
} from '@weeder/kube-runtime/base';
import type { ChangeType } from '@weeder/kube-runtime/watch';

/** One line of a recorded watch. */
export interface RecordedEvent {
  /** Epoch milliseconds. */
  readonly time: number;
  readonly type: ChangeType;
  readonly object: JsonObject;
  readonly where: string;
}

const types: readonly ChangeType[] = ['ADDED', 'MODIFIED', 'DELETED'];
const repository = resolve(import.meta.dirname, '../../..');

/** Reads watch events, one `{"ts","type","object"}` a line; `from` is the `file:line` that refers to them. */
export function readRecording(path: string, from: string): Result<readonly RecordedEvent[], readonly string[]> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return failed([`${from}: there is no recording ${relative(repository, path)}`]);
  }
  const events: RecordedEvent[] = [];
  const errors: string[] = [];
  for (const [index, line] of text.trimEnd().split('\n').entries()) {
    const where = `${relative(repository, path)}:${index + 1}`;
    const event = readLine(line, where);
    if (typeof event === 'string') errors.push(`${where}: ${event}`);
    else if (event.time < (events.at(-1)?.time ?? 0))
      errors.push(`${where}: out of order: it is older than the line before`);
    else events.push(event);
  }
  return errors.length > 0 ? failed(errors) : ok(events);
}

function readLine(line: string, where: string): RecordedEvent | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch (error) {
    return `not JSON (a recording that was cut?): ${messageOf(error)}`;
  }
  if (!isObject(parsed)) return 'not a watch event: {"ts", "type", "object"}';
  const time = timeOf(parsed['ts']);
  const type = types.find((each) => each === parsed['type']);
  const object = parsed['object'];
  if (time === undefined) return `not a time: "ts" is ${JSON.stringify(parsed['ts']) ?? 'missing'}`;
  if (type === undefined || !isObject(object))
    return `not a watch event: "type" is ${JSON.stringify(parsed['type']) ?? 'missing'}`;
  const kind = textOf(object['kind']);
  if (kind !== 'Pod' && kind !== 'EndpointSlice')
    return `neither a Pod nor an EndpointSlice: "kind" is ${kind ?? 'missing'}`;
  return { time, type, object, where };
}
