import { z } from 'zod';
import type { Cluster } from './access.ts';

const Version = z.object({ gitVersion: z.string() });

/** Returns the version of the API server, such as `v1.36.3`. */
export async function apiServerVersion({ api }: Pick<Cluster, 'api'>): Promise<string> {
  return Version.parse(await api('GET', '/version')).gitVersion;
}

/** Returns 36 for version 1.36 of the API server. */
export async function minorVersion(cluster: Pick<Cluster, 'api'>): Promise<number> {
  return Number((await apiServerVersion(cluster)).split('.')[1]);
}

/**
 * Skips the test if the API server is older than this minor version, and returns whether it is. `why` says what it
 * lacks.
 */
export async function skipBefore(t: Skippable, cluster: Pick<Cluster, 'api'>, minor: number, why: string) {
  const isOlder = (await minorVersion(cluster)) < minor;
  if (isOlder) t.skip(`before Kubernetes 1.${minor}: ${why}`);
  return isOlder;
}

interface Skippable {
  skip(message: string): void;
}

/** Returns whether a feature gate of the API server is enabled, as its metrics say. False if it does not have the gate. */
export async function isEnabled({ send }: Pick<Cluster, 'send'>, gate: string): Promise<boolean> {
  const { body } = await send('GET', '/metrics');
  return RegExp(`^kubernetes_feature_enabled\\{name="${gate}",stage="\\w*"\\} 1$`, 'm').test(String(body));
}
