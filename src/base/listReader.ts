import { type CodedError, failed, isObject, type JsonObject, ok, type Result } from '@weeder/kube-runtime/base';
import type { ApiFailure, KubeClient } from '@weeder/kube-runtime/client';
import { describeFailure, isUnservedPath } from '@weeder/kube-runtime/client';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import { listPages } from '@weeder/kube-runtime/watch';
import { codedError } from './errors.ts';

/** Reads what one output needs, and leaves out what the API server refuses, such as the pods of a namespace. */
export interface ListReader {
  /** Reads a complete list into the sink of the stream. */
  read(stream: StreamNeed): Promise<Result<undefined>>;
  /** Reads one object; undefined if it or its kind does not exist, or is refused. `what` names its kind: `configmaps in shop`. */
  readOne(path: string, what: string, query?: Query): Promise<Result<JsonObject | undefined>>;
  /** Adds to what was refused: something that was read otherwise. */
  leaveOut(failure: ApiFailure, what: string): void;
  /** What was refused, once for each stream or kind: its name with a colon, and the rule to grant as a hint. */
  refused(): readonly CodedError[];
  /** Whether anything was not refused. */
  hasRead(): boolean;
}

type Query = Readonly<Record<string, string | number>>;

/** `signal`: ends the requests. */
export function createListReader(client: KubeClient, signal?: AbortSignal): ListReader {
  const refused = new Map<string, CodedError>();
  let answered = 0;

  function until(): AbortSignal {
    const timeout = AbortSignal.timeout(60_000);
    return signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
  }

  /** Undefined: it is refused, and left out. */
  function problemOf(failure: ApiFailure, what: string): CodedError | undefined {
    if (failure.type !== 'forbidden' && failure.type !== 'notFound' && !isUnservedPath(failure))
      return codedError('CLUSTER_UNREACHABLE', `Cannot read ${what}:`, describeFailure(failure, client.server));
    leaveOut(failure, what);
    return undefined;
  }

  function leaveOut(failure: ApiFailure, what: string): void {
    const problem = codedError('CLUSTER_REFUSES', `${what}:`, describeFailure(failure, client.server));
    refused.set(what, refused.get(what) ?? problem);
  }

  return {
    async read(stream) {
      const list = await listPages(client, stream, until());
      if (list.ok) answered += 1;
      const problem = list.ok ? undefined : problemOf(list.failure, stream.name);
      return problem === undefined ? ok(undefined) : failed(problem);
    },
    async readOne(path, what, query = {}) {
      const answer = await client.call({ method: 'GET', path, query, isConfidential: true, signal: until() });
      if (answer.ok) answered += 1;
      if (answer.ok) return ok(isObject(answer.body) ? answer.body : undefined);
      if (answer.failure.type === 'notFound' || isUnservedPath(answer.failure)) return ok(undefined);
      const problem = problemOf(answer.failure, what);
      return problem === undefined ? ok(undefined) : failed(problem);
    },
    leaveOut,
    refused: () => [...refused.values()],
    hasRead: () => answered > 0,
  };
}
