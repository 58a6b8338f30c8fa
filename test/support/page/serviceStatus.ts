import { partsOf } from '@weeder/kube-runtime/objects';
import type { ServiceStatus } from '../../../src/weeder/services/serviceStatus.ts';

/** A service that has not been ready since weeder started; `changes` override it. `key`: `namespace/name`. */
export function serviceStatus(key: string, changes: Partial<ServiceStatus> = {}): ServiceStatus {
  const { namespace, name: service } = partsOf(key);
  const neverReady = { isReady: false, exists: true, since: 0, readyUntil: undefined, isFromStart: true };
  return { namespace, service, ...neverReady, ...changes };
}
