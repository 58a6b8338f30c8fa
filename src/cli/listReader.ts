import { type CodedError, failed, isObject, type JsonObject, ok, type Result } from '@weeder/kube-runtime/base';
import type { ApiFailure, KubeClient } from '@weeder/kube-runtime/client';
import { describeFailure } from '@weeder/kube-runtime/client';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import { listPages } from '@weeder/kube-runtime/watch';
import { codedError } from '../base/errors.ts';
import { exitCodes, fail } from './output.ts';

/** Reads what one output needs, and leaves out what the API server refuses, such as the pods of a namespace. */
interface ListReader {
  /** Reads a complete list into the sink of the stream. */
  read(stream: StreamNeed): Promise<Result<undefined>>;
  /** Reads one object; undefined if it does not exist or is refused. `what` names its kind: `configmaps in shop`. */
  readOne(path: string, what: string, query?: Query): Promise<Result<JsonObject | undefined>>;
  /** Calls `show`, and then names what was refused; returns the exit code. Everything refused: nothing is shown. */
  report(show: () => void): number;
}

type Query = Readonly<Record<string, string | number>>;

export function createListReader(client: KubeClient): ListReader {
  /** What was refused, once for each stream or kind. */
  const refused = new Map<string, CodedError>();
  let answered = 0;

  /** Undefined: it is refused, and left out. */
  function problemOf(failure: ApiFailure, what: string): CodedError | undefined {
    const hint = describeFailure(failure, client.server);
    if (failure.type !== 'forbidden' && failure.type !== 'notFound')
      return codedError('CLUSTER_UNREACHABLE', `Cannot read ${what}:`, hint);
    refused.set(what, refused.get(what) ?? codedError('CLUSTER_REFUSES', `${what}:`, hint));
    return undefined;
  }

  return {
    async read(stream) {
      const list = await listPages(client, stream, AbortSignal.timeout(60_000));
      if (list.ok) answered += 1;
      const problem = list.ok ? undefined : problemOf(list.failure, stream.name);
      return problem === undefined ? ok(undefined) : failed(problem);
    },
    async readOne(path, what, query = {}) {
      const signal = AbortSignal.timeout(60_000);
      const answer = await client.call({ method: 'GET', path, query, isConfidential: true, signal });
      if (answer.ok) answered += 1;
      if (answer.ok) return ok(isObject(answer.body) ? answer.body : undefined);
      if (answer.failure.type === 'notFound') return ok(undefined);
      const problem = problemOf(answer.failure, what);
      return problem === undefined ? ok(undefined) : failed(problem);
    },
    report(show) {
      const [first] = refused.values();
      if (first !== undefined && answered === 0) return fail({ ...first, message: `Cannot read ${first.message}` });
      show();
      for (const problem of refused.values())
        fail({ ...problem, message: `The output does not include ${problem.message}` });
      return first === undefined ? exitCodes.ok : exitCodes.failed;
    },
  };
}
