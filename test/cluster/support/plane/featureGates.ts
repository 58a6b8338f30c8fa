import type { Cluster } from './access.ts';

/** Returns whether a feature gate of the API server is enabled, as its metrics say. False if it does not have the gate. */
export async function isEnabled({ send }: Pick<Cluster, 'send'>, gate: string): Promise<boolean> {
  const { body } = await send('GET', '/metrics');
  return RegExp(`^kubernetes_feature_enabled\\{name="${gate}",stage="\\w*"\\} 1$`, 'm').test(String(body));
}
