import type { Command } from 'commander';
import { addClusterFlags, type ClusterFlags } from './runFlags.ts';
import { readNamespace } from './values.ts';

/** The flags of `weeder status`. */
export interface StatusFlags extends ClusterFlags {
  readonly namespace: string;
}

export function addStatusFlags(command: Command): Command {
  addClusterFlags(command)
    .optionsGroup('Other:')
    .option('-n, --namespace <name>', 'where weeder runs', readNamespace, 'weeder');
  return command;
}
