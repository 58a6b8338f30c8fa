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

/** Returns whether a feature gate of the API server is enabled, as its metrics say. False if it does not have the gate. */
export async function isEnabled({ send }: Pick<Cluster, 'send'>, gate: string): Promise<boolean> {
  const { body } = await send('GET', '/metrics');
  return RegExp(`^kubernetes_feature_enabled\\{name="${gate}",stage="\\w*"\\} 1$`, 'm').test(String(body));
}
