import { loadKubeConfig } from '@weeder/kube-runtime/access';
import { failed, ok, type Result } from '@weeder/kube-runtime/base';
import { codedError } from '../base/errors.ts';
import type { ReadFlags } from './flags/readFlags.ts';

/** Like kubectl: the flag, or else the namespace of the context, in a pod its own, or else `default`. */
export function namespaceOf(flags: Omit<ReadFlags, 'requestTimeout'>): Result<string> {
  const [given, another] = flags.namespace ?? [];
  if (another !== undefined || flags.allNamespaces === true)
    return failed(codedError('USAGE', 'One namespace is read: give it with -n.'));
  if (given !== undefined) return ok(given);
  const access = loadKubeConfig(flags, process.env);
  return access.ok ? ok(access.value.namespace ?? 'default') : access;
}
