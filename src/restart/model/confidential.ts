import type { ApiFailure, FailureKind } from '../../kube/client/failure.ts';
import { isDenied, refuserOf } from '../../kube/client/refuser.ts';
import type { SourceKind } from './refs.ts';

/** What was asked of the API server; for the rule that a missing permission is granted by. */
export interface Asked {
  readonly verb: 'get' | 'create' | 'update';
  readonly kind: SourceKind;
  readonly namespace: string;
}

/** These say what became of the connection, and nothing that came over it. */
const ownWords: ReadonlySet<FailureKind> = new Set(['network', 'timeout', 'credentials', 'cancelled']);

/**
 * The failure without a word of the answer: a server, or something in front of it, may echo the Secret that was asked
 * for, and then it would stand in logs and Events. Only the class, the status, who refused it and the time to wait are left.
 */
export function confidential(failure: ApiFailure, asked: Asked): ApiFailure {
  const { kind, status, retryAfterMs } = failure;
  if (ownWords.has(kind)) return failure;
  return {
    kind,
    message: isDenied(failure, asked.verb)
      ? denial(asked)
      : (refuserOf(failure) ?? 'its words are not told, for they may hold a value'),
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** As the API server says it, so that the missing rule can be named. */
function denial({ verb, kind, namespace }: Asked): string {
  const resource = kind === 'Secret' ? 'secrets' : 'configmaps';
  return `cannot ${verb} resource "${resource}" in API group "" in the namespace "${namespace}"`;
}
