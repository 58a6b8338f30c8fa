import type { Clock } from '../clock.ts';
import { isObject, objectOf, textOf } from '../json.ts';
import type { KubeClient } from '../kube/client.ts';
import { describeFailure } from '../kube/describeFailure.ts';
import type { ApiFailure } from '../kube/failure.ts';
import { done, failed, type Outcome } from './applyFailure.ts';
import { groupVersionPath } from './discovery.ts';
import { once } from './once.ts';
import type { Kind } from './resourceApi.ts';
import { type Structures, structuresOf } from './structure/openapi.ts';
import type { At } from './structure/structure.ts';

/** Documents that changed are noticed after this long, unless somebody asks for what the known ones do not have. */
const indexKeptMs = 30_000;
/** A new CustomResourceDefinition's kind was served after 35 ms, and its document 0.84 s after it (A16). */
const lookAgainMs = 200;
const longestWaitMs = 5_000;
/** v1 has 1.6 MB, and an API server that has just started builds it first. */
const timeoutMs = 30_000;

/**
 * How the objects of each kind are built, as the API server's own documents say (`/openapi/v3`, A7): the index (10 KB)
 * says by a hash which document is new, and only those of groups in use are fetched.
 */
export function openapiSource(client: KubeClient, clock: Clock) {
  let index: { readonly hashes: ReadonlyMap<string, string>; readonly at: number } | undefined;
  const known = new Map<string, { readonly hash: string; readonly structures: Structures }>();

  const readIndex = once(async (_: 'index'): Promise<Outcome<undefined>> => {
    const result = await client.call({ method: 'GET', path: '/openapi/v3', timeoutMs });
    if (!result.ok) return refuse(result.failure);
    index = { hashes: readHashes(result.body), at: clock.monotonic() };
    return done(undefined);
  });

  /** Without the hash: the newest document, which can be newer than the index, and is then fetched once more than needed. */
  const readDocument = once(async (path: string): Promise<Outcome<undefined>> => {
    const hash = index?.hashes.get(path);
    if (hash === undefined || known.get(path)?.hash === hash) return done(undefined);
    const result = await client.call({ method: 'GET', path: `/openapi/v3${path}`, timeoutMs });
    if (!result.ok) return refuse(result.failure);
    known.set(path, { hash, structures: structuresOf(result.body) });
    return done(undefined);
  });

  function refuse(failure: ApiFailure): Outcome<never> {
    if (failure.kind === 'cancelled') return failed('cancelled', failure.message);
    const reason = describeFailure(failure, client.server);
    return { ok: false, failure: { is: 'transient', reason, retryAfter: failure.retryAfterMs ?? 0, fields: [] } };
  }

  async function look({ group, version, kind }: Kind, isAnew: boolean): Promise<Outcome<At | undefined>> {
    const path = groupVersionPath(group === '' ? version : `${group}/${version}`);
    if (isAnew || index === undefined || clock.monotonic() - index.at >= indexKeptMs) {
      const read = await readIndex('index');
      if (!read.ok) return read;
    }
    const read = await readDocument(path);
    return read.ok ? done(known.get(path)?.structures.of(group, version, kind)) : read;
  }

  /**
   * Waits for a document that has the kind, at most 5 s: to take its lists for what is matched by position meanwhile
   * would be wrong. `typeMissing`: there is none yet.
   */
  return async function structureOf(kind: Kind, signal: AbortSignal): Promise<Outcome<At>> {
    const startedAt = clock.monotonic();
    for (let isAnew = false; ; isAnew = true) {
      const found = await look(kind, isAnew);
      if (!found.ok) return found;
      if (found.value !== undefined) return done(found.value);
      if (signal.aborted) return failed('cancelled', 'nobody waits for this any more');
      if (clock.monotonic() - startedAt >= longestWaitMs)
        return failed('typeMissing', `The API server does not say yet how a ${kind.kind} is built (/openapi/v3).`);
      await passing(clock, lookAgainMs, signal);
    }
  };
}

/** `{"paths":{"apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1?hash=1A…"}}}`, by `/apis/apps/v1`. */
function readHashes(body: unknown): ReadonlyMap<string, string> {
  const hashes = new Map<string, string>();
  for (const [path, entry] of Object.entries(objectOf(objectOf(body)['paths']))) {
    const url = isObject(entry) ? textOf(entry['serverRelativeURL']) : undefined;
    if (url !== undefined) hashes.set(`/${path}`, url);
  }
  return hashes;
}

/** Until so many milliseconds have passed, or nobody waits any more. */
function passing(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clock.clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}
