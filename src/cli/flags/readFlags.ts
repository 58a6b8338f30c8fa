import type { Command } from 'commander';
import { addClusterFlags, type ClusterFlags } from './runFlags.ts';
import { readDuration, readNames } from './values.ts';

/** The flags of a verb that reads a cluster, as kubectl has them. */
export interface ReadFlags extends ClusterFlags {
  readonly namespace?: readonly string[];
  readonly allNamespaces?: boolean;
  /** Milliseconds; 0: no limit. */
  readonly requestTimeout?: number;
}

/** Adds the flags for the cluster to a verb that reads it. */
export function addReadFlags(
  command: Command,
  namespace = 'read only these namespaces, separated by commas; default: all',
): Command {
  return addClusterFlags(command)
    .option('-n, --namespace <names>', namespace, readNames)
    .option('-A, --all-namespaces', 'read all namespaces, also with -n')
    .option('--request-timeout <duration>', 'how long a request may take; 0: no limit; default: 10s', readDuration);
}

/** The namespaces that are read. */
export function namespacesOf({ namespace, allNamespaces }: ReadFlags): 'all' | readonly string[] {
  return allNamespaces === true ? 'all' : (namespace ?? 'all');
}
