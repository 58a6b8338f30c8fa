import { loadKubeConfig } from '@weeder/kube-runtime/access';
import { ok, type Result } from '@weeder/kube-runtime/base';
import type { ClusterFlags } from './flags/runFlags.ts';

/** Like kubectl: the flag, or else the namespace of the context, in a pod its own, or else `default`. */
export function namespaceOf(flags: ClusterFlags & { readonly namespace?: string }): Result<string> {
  if (flags.namespace !== undefined) return ok(flags.namespace);
  const access = loadKubeConfig(flags, process.env);
  return access.ok ? ok(access.value.namespace ?? 'default') : access;
}
