import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { eventually } from './eventually.ts';

/** A line of the log. */
export const LogLine = z.looseObject({ level: z.string(), time: z.string(), msg: z.string() });
export type LogLine = z.infer<typeof LogLine>;

/** The log of weeder. Tests wait for its lines, but assert deletions with an observer. */
export interface WeederLog {
  readonly lines: readonly LogLine[];
  /** Returns the lines so far with this message, or a matching one, and with these fields. */
  find(message: string | RegExp, fields?: Readonly<Record<string, unknown>>): LogLine[];
  /** Waits for `count` such lines (default 1), and returns the last one. */
  until(
    message: string | RegExp,
    fields?: Readonly<Record<string, unknown>>,
    options?: { readonly count?: number },
  ): Promise<LogLine>;
}

/** Creates a log from chunks of text. `garbage` receives lines that are not JSON. */
export function collectLog(garbage: (line: string) => void): WeederLog & { write(text: string): void } {
  const lines: LogLine[] = [];
  let rest = '';
  return {
    lines,
    find: (message, fields) => lines.filter(matching(message, fields)),
    until: (message, fields, { count = 1 } = {}) => {
      const matches = matching(message, fields);
      const found: LogLine[] = [];
      let read = 0;
      return eventually(
        (saw) => {
          saw(lines.slice(-8).map((line) => `${line.level} ${line.msg}`));
          found.push(...lines.slice(read).filter(matches));
          read = lines.length;
          return found[count - 1];
        },
        {
          what: `${count > 1 ? `${count} times ` : ''}“${message}” ${JSON.stringify(fields ?? {})} in weeder's log`,
          every: 5,
        },
      );
    },
    write(text) {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        const line = LogLine.safeParse(readJson(part));
        if (line.success) lines.push(line.data);
        else garbage(part);
      }
    },
  };
}

function matching(message: string | RegExp, fields: Readonly<Record<string, unknown>> = {}) {
  return (line: LogLine): boolean => {
    const matches = typeof message === 'string' ? line.msg === message : message.test(line.msg);
    return matches && Object.entries(fields).every(([key, value]) => isDeepStrictEqual(line[key], value));
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
