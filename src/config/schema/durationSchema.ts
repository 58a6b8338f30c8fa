import { parseDuration } from '@weeder/kube-runtime/base';
import { z } from 'zod';
import { quoted } from '../../base/fieldError.ts';

/** A Node timer counts to 2^31 - 1 ms, which is 24 days and 20 hours. */
const longest = 24 * 24 * 3_600_000;

const unitless = 'found a number without a unit; a duration is written like 5m0s or 90s';

/** A Go duration in milliseconds, up to the maximum of a timer; `fromZero` permits 0. */
export function duration(from: 'aboveZero' | 'fromZero') {
  const text = z.string({ error: ({ input }) => (typeof input === 'number' ? unitless : undefined) }).meta({
    pattern: '^\\+?(?:(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+$',
    examples: ['5m0s', '1h30m', '90s'],
  });
  return z.codec(text, z.number(), {
    decode: (written, context) => {
      const read = parseDuration(written);
      const refusal = read.ok ? refused(written, read.value, from) : read.error;
      if (read.ok && refusal === undefined) return read.value;
      context.issues.push({ code: 'custom', input: written, message: refusal ?? '' });
      return z.NEVER;
    },
    encode: (milliseconds) => `${milliseconds}ms`,
  });
}

function refused(text: string, milliseconds: number, from: 'aboveZero' | 'fromZero'): string | undefined {
  if (from === 'aboveZero' && milliseconds <= 0) return `found ${quoted(text)}, must be longer than 0`;
  if (milliseconds < 0) return `found ${quoted(text)}, must be 0s or longer`;
  if (milliseconds <= longest) return undefined;
  return `found ${quoted(text)}, must be at most 576h (24 days): a timer counts to 2147483647 ms`;
}
