import { homedir } from 'node:os';
import { join } from 'node:path';

/** What is downloaded or built once for all checkouts: outside of them. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return env['WEEDER_CACHE'] ?? join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'weeder');
}
