import { createHash } from 'node:crypto';
import type { Clock } from '@weeder/kube-runtime/base';
import { objectOf, putBounded } from '@weeder/kube-runtime/base';
import type { KubeClient } from '@weeder/kube-runtime/client';
import { describeFailure } from '@weeder/kube-runtime/client';
import { apiPath } from '@weeder/kube-runtime/objects';
import { type Page, sendText } from '../base/http.ts';
import type { Logger } from '../base/log.ts';

/** The answer to a client. */
interface Verdict {
  readonly status: 200 | 401 | 403 | 503;
  readonly text: string;
}

interface AuthorizedOptions {
  /** Undefined until the API server has been reached. */
  readonly client: () => Pick<KubeClient, 'call' | 'server'> | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How long a decision of the API server is valid: a token or a permission may be revoked. Milliseconds. */
const allowedFor = 60_000;
const deniedFor = 10_000;
/** The number of cached tokens, which bounds the memory for wrong ones. */
const maxTokens = 100;

const allowed: Verdict = { status: 200, text: '' };
const unauthenticated: Verdict = {
  status: 401,
  text: 'this page needs the token of an account of the cluster: send Authorization: Bearer TOKEN\n',
};
/** A page is never open: without the API server no client can be authenticated. */
const unavailable: Verdict = {
  status: 503,
  text: 'weeder cannot authorize this request, because the API server is unreachable: see the log of weeder\n',
};

/**
 * Wraps pages so that only clients may read them that the API server authenticates by their token (TokenReview), and
 * allows to `get` the path (SubjectAccessReview), as kubebuilder does for metrics.
 */
export function createAuthorized({ client, clock, logger }: AuthorizedOptions): (page: Page) => Page {
  const decided = new Map<string, { readonly verdict: Promise<Verdict>; until: number }>();

  async function create(group: string, plural: string, kind: string, spec: object) {
    const current = client();
    if (current === undefined) return undefined;
    const path = apiPath(`${group}/v1`, plural);
    const body = { apiVersion: `${group}/v1`, kind, spec };
    const answer = await current.call({ method: 'POST', path, body, isConfidential: true });
    if (answer.ok) return objectOf(objectOf(answer.body)['status']);
    const cause = describeFailure(answer.failure, current.server);
    logger.warn({ cause }, 'the client of a page cannot be authorized');
    return undefined;
  }

  async function review(token: string, path: string): Promise<Verdict> {
    const tokenReview = await create('authentication.k8s.io', 'tokenreviews', 'TokenReview', { token });
    if (tokenReview === undefined) return unavailable;
    if (tokenReview['authenticated'] !== true) return unauthenticated;
    const { username: user, uid, groups, extra } = objectOf(tokenReview['user']);
    const access = await create('authorization.k8s.io', 'subjectaccessreviews', 'SubjectAccessReview', {
      user,
      uid,
      groups,
      extra,
      nonResourceAttributes: { path, verb: 'get' },
    });
    if (access === undefined) return unavailable;
    if (access['allowed'] === true) return allowed;
    return { status: 403, text: `${String(user)} may not get the nonResourceURL ${path}\n` };
  }

  /** Clients with the same token wait for one review. A failed review is not cached. */
  function decide(token: string, path: string): Promise<Verdict> {
    const key = createHash('sha256').update(`${path} ${token}`).digest('base64');
    const cached = decided.get(key);
    if (cached !== undefined && clock.monotonic() < cached.until) return cached.verdict;
    const verdict = review(token, path);
    const decision = { verdict, until: Number.POSITIVE_INFINITY };
    putBounded(decided, key, decision, maxTokens);
    const remember = (duration: number) => {
      decision.until = clock.monotonic() + duration;
    };
    verdict.then(
      ({ status }) => remember(status === 200 ? allowedFor : status === 503 ? 0 : deniedFor),
      () => remember(0),
    );
    return verdict;
  }

  return (page) => async (url, request, response) => {
    const [, token] = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const { status, text } = token === undefined ? unauthenticated : await decide(token, url.pathname);
    if (status === 200) return page(url, request, response);
    if (status === 401) response.setHeader('www-authenticate', 'Bearer');
    sendText(request, response, status, text);
  };
}
