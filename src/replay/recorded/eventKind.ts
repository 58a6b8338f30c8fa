import { z } from 'zod';

/** Returns a schema for the kinds of events in a table. */
export function eventKind<Kind extends string>(kinds: Readonly<Record<Kind, unknown>>): z.ZodType<Kind> {
  return z.custom<Kind>((value) => typeof value === 'string' && Object.hasOwn(kinds, value));
}
