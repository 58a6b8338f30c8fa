import { z } from 'zod';

/** The version of all shapes. */
export const apiVersion = z.literal('cli.weeder.dev/v1');

export function listOf<T extends z.ZodType>(item: T) {
  return z.array(item).readonly();
}

export const Named = { namespace: z.string(), name: z.string() };
