import { z } from 'zod';

/** One of the events that a table lists. */
export function eventKind<Kind extends string>(kinds: Readonly<Record<Kind, unknown>>): z.ZodType<Kind> {
  return z.custom<Kind>((value) => typeof value === 'string' && Object.hasOwn(kinds, value));
}
