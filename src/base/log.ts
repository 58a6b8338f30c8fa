import { type DestinationStream, type Logger, pino } from 'pino';
import { boundedFields } from './boundedLog.ts';

export type { Logger } from 'pino';

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * The log: one JSON object per line, or aligned and coloured lines if the output is a terminal and the optional
 * pino-pretty is installed. Its fields are bounded here, because what others wrote may be in any of them.
 */
export async function createLogger(level: LogLevel, output: NodeJS.WriteStream = process.stdout): Promise<Logger> {
  const pretty = output.isTTY ? await prettyStream(output) : undefined;
  // `boundedFields` has written the errors.
  const serializers = { err: (error: unknown) => error };
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers };
  const log = boundedFields;
  return pretty === undefined
    ? pino({ ...options, formatters: { level: levelName, log } }, output)
    : pino({ ...options, formatters: { log } }, pretty);
}

function levelName(label: string): object {
  return { level: label };
}

async function prettyStream(output: NodeJS.WriteStream): Promise<DestinationStream | undefined> {
  try {
    const { default: pretty } = await import('pino-pretty');
    return pretty({
      destination: output,
      colorize: output.hasColors(),
      translateTime: 'SYS:HH:MM:ss.l',
      ignore: 'uid',
      singleLine: true,
    });
  } catch {
    // Without pino-pretty the lines are JSON on a terminal, too.
    return undefined;
  }
}
