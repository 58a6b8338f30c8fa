import { isObject, objectOf } from '@weeder/kube-runtime/base';
import type { KubeClient } from '@weeder/kube-runtime/client';
import { applyFailure, done } from '../objects/applyFailure.ts';
import type { Identity } from '../objects/identity.ts';
import type { ResourceApi, Target } from '../plan/resourceApi.ts';

const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

const reviewRequest = {
  verb: 'create',
  plural: 'selfsubjectaccessreviews',
  identity: { group: 'authorization.k8s.io', kind: 'SelfSubjectAccessReview', namespace: '', name: '' },
} as const;

/**
 * Checks whether an account may do something with a SelfSubjectAccessReview that impersonates it. Every authenticated
 * user may create one (`system:basic-user`), and it reads no object.
 */
export function accessReview(client: KubeClient): ResourceApi['may'] {
  return async (target, verb, extent, signal) => {
    const { account } = target;
    const attributes = { verb, ...(extent === 'kind' ? ofKind(target) : ofObject(target)) };
    const result = await client.call({
      method: 'POST',
      path: reviews,
      // The API server does not store a review, so weeder creates it in a dry run, too.
      query: { dryRun: 'All' },
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes: attributes },
      },
      signal,
      ...(account === undefined ? {} : { impersonate: account }),
    });
    if (!result.ok) return applyFailure(result.failure, reviewRequest, client.server);
    const { status } = objectOf(result.body);
    if (isObject(status)) return done(status['allowed'] === true);
    const failure = { type: 'badAnswer', message: 'the answer is not a SelfSubjectAccessReview' } as const;
    return applyFailure(failure, reviewRequest, client.server);
  };
}

interface Attributes {
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

function ofKind({ identity: { group, namespace }, collection }: Target): Attributes {
  const resource = collection.split('/').at(-1) ?? '';
  return { group, resource, ...(namespace === '' ? {} : { namespace }) };
}

/** The API server treats a Namespace as an object in itself. */
function ofObject(target: Target): Attributes {
  const { name } = target.identity;
  return { ...ofKind(target), ...(isNamespace(target.identity) ? { namespace: name } : {}), name };
}

function isNamespace({ group, kind }: Identity): boolean {
  return group === '' && kind === 'Namespace';
}
