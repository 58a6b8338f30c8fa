import type { Command } from 'commander';
import { addOutputFlag, type OutputFlag } from './outputFlag.ts';
import { addReadFlags, type ReadFlags } from './readFlags.ts';

/** The flags of `weeder status`. */
export type StatusFlags = ReadFlags & OutputFlag;

/** Where deploy/ and the chart put weeder by default. */
export const usualNamespace = 'weeder';

export function addStatusFlags(command: Command): Command {
  const reading = addReadFlags(command, `the namespace of weeder; default: ${usualNamespace}`);
  return addOutputFlag(reading).optionsGroup('Other:');
}
