import type { Command } from 'commander';
import { addReadFlags, type ReadFlags } from './readFlags.ts';

/** The flags of `weeder status`. */
export type StatusFlags = ReadFlags;

/** Where deploy/ and the chart put weeder by default. */
export const usualNamespace = 'weeder';

export function addStatusFlags(command: Command): Command {
  return addReadFlags(command, `the namespace of weeder; default: ${usualNamespace}`).optionsGroup('Other:');
}
