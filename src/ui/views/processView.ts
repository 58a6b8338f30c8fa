import { createHash } from 'node:crypto';
import type { StreamStatus } from '@weeder/kube-runtime/watch';
import type { ProcessView, StreamView } from '@weeder/live-page';
import type { Config } from '../../config/config.ts';
import { configFileOf } from '../../config/configText.ts';
import type { ConfigStatus } from '../../process/reload.ts';

/** What the command knows of its process. */
export interface ProcessFacts extends Pick<ProcessView, 'cluster' | 'version' | 'identity' | 'namespaces'> {
  /** The config in force. */
  readonly config: Config;
  readonly status: ConfigStatus;
}

/** Returns a function that returns the process as the page shows it. It hashes each config once. */
export function createProcessView(): (facts: ProcessFacts, streams: readonly StreamStatus[]) => ProcessView {
  let hashed: { readonly config: Config; readonly hash: string } | undefined;

  function hashOf(config: Config): string {
    if (hashed?.config !== config) hashed = { config, hash: shortHash(config) };
    return hashed.hash;
  }

  return ({ cluster, version, identity, namespaces, config, status: { appliedAt, rejected } }, streams) => ({
    cluster,
    version,
    identity,
    namespaces,
    config: { hash: hashOf(config), appliedAt, rejected: rejected && firstError(rejected.message) },
    streams: streams.flatMap(unreadable),
  });
}

/** Of the config with all defaults: files that mean the same have the same hash. */
function shortHash(config: Config): string {
  return createHash('sha256')
    .update(JSON.stringify(configFileOf(config)))
    .digest('hex')
    .slice(0, 8);
}

/** Without a full stop. A message about several errors has a title, and a line for each. */
function firstError(message: string): string {
  const lines = message.split('\n').map((line) => line.trim());
  return (lines[1] ?? lines[0] ?? '').replace(/\.$/, '');
}

/** Down, and not only starting, or because the cluster does not have a kind that it need not have. */
function unreadable({ name, problem, isMissing }: StreamStatus): StreamView[] {
  return problem === undefined || isMissing === true ? [] : [{ name, problem }];
}
