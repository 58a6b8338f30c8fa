import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { failed, ok, type Result } from '../../base/errors.ts';
import { objectOf } from '../../base/json.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { ApiFailure } from '../../kube/client/failure.ts';
import { isRecoverable } from '../../kube/client/failureClass.ts';

/** A random name. */
export function uniqueNamespace(): string {
  return `weeder-demo-${randomBytes(4).toString('hex')}`;
}

/** The failure; `mayExist`: the response was lost, so the namespace may exist. */
interface NotCreated {
  readonly failure: ApiFailure;
  readonly mayExist: boolean;
}

export async function createNamespace(client: KubeClient, name: string): Promise<Result<void, NotCreated>> {
  const labels = { 'app.kubernetes.io/managed-by': 'weeder-demo' };
  const result = await client.call({
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { metadata: { name, labels } },
  });
  if (result.ok) return ok(undefined);
  const { failure } = result;
  const mayExist = ['network', 'timeout', 'unavailable', 'badAnswer'].includes(failure.kind);
  return failed({ failure, mayExist });
}

const pollInterval = 500;
const stillThere = 'it is still terminating';

/**
 * Deletes the namespace with its objects, and waits until it no longer exists, for at most `patience` milliseconds.
 * Returns the reason if it still exists.
 */
export async function removeNamespace(
  client: KubeClient,
  clock: Clock,
  name: string,
  patience: number,
): Promise<string | undefined> {
  const path = `/api/v1/namespaces/${name}`;
  const deadline = clock.monotonic() + patience;
  let isDeleted = false;
  let reason = stillThere;
  while (clock.monotonic() < deadline) {
    const result = await client.call({ method: isDeleted ? 'GET' : 'DELETE', path });
    if (result.ok) {
      isDeleted = objectOf(objectOf(result.body)['metadata'])['deletionTimestamp'] !== undefined;
      reason = stillThere;
    } else if (result.failure.kind === 'notFound') return undefined;
    // 409: it is already terminating, or was changed concurrently; the next read shows which.
    else if (result.failure.kind === 'conflict') isDeleted = true;
    else {
      reason = result.failure.message;
      if (!isRecoverable(result.failure) || result.failure.kind === 'forbidden') return reason;
    }
    await new Promise<void>((resolve) => void clock.setTimeout(resolve, pollInterval));
  }
  return reason;
}
