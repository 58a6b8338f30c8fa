import type { Append, Requested } from './entry.ts';

/** A request, as it is recorded before it is sent. */
type RequestEvent =
  | Requested
  | {
      readonly out: 'write.requested' | 'eviction.requested' | 'resource.write' | 'status.write';
      readonly about: string;
      readonly detail: string;
    };

/** How a response is recorded, and how a replay reads it. */
export interface ResponseFormat<R> {
  /** Returns what decisions depend on, without messages and content. */
  record(response: R): unknown;
  replay(recorded: unknown): R;
}

/** Makes the requests of a controller: a recording sends them, and a replay answers them with the recorded responses. */
export interface Requests {
  /** `request`: the key by which a replay finds the response. */
  send<R>(request: string, call: () => Promise<R>, format: ResponseFormat<R>): Promise<R>;
  report(event: RequestEvent): void;
}

export function recordedRequests(append: Append): Requests {
  return {
    async send(request, call, { record }) {
      const answer = await call();
      const response = record(answer);
      append({ in: 'response', request, ...(response === undefined ? {} : { response }) });
      return answer;
    },
    report: append,
  };
}
