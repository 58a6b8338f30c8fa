import { addAbortSignal, PassThrough, type Readable } from 'node:stream';
import type { Dispatcher } from 'undici';

/** An answer whose headers have come. What comes after them has to be taken at once, by one of the two ways. */
interface ReceivedResponse extends Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'> {
  /** Is destroyed with the request's signal. */
  read(): Readable;
  /** Nobody wants it: tells of each piece of it, and once when it is over, broken or not, or let go with the signal. */
  drain(onPiece: () => void, onOver: () => void): void;
}

/**
 * The answer to a request, for as long as `signal` is not aborted. After that nobody waits for it, but on its connection
 * the request goes on: Node's HTTP/2 (26.10) forgets a stream that is destroyed while the connection is busy writing, and
 * then does not reset it. If its own body was not sent, empty frames are written for it without end, in one turn of the
 * event loop, until memory is full; if its headers come afterwards, they make a stream that nobody knows, whose error at
 * the end of the connection ends the process. So a request that has a body is answered to its end, or for another MiB,
 * and any other until its headers are there. No connection is kept by that: it is replaced when it does not answer.
 */
export async function responseOf(
  answered: Promise<Dispatcher.ResponseData>,
  hasBody: boolean,
  signal: AbortSignal,
): Promise<ReceivedResponse> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const { statusCode, headers, body } = await Promise.race([answered, aborted]);
    return {
      statusCode,
      headers,
      read: () => (hasBody ? copyOf(body, signal) : addAbortSignal(signal, body)),
      drain(onPiece, onOver) {
        const stop = () => {
          discard(body, hasBody);
          onOver();
        };
        body.on('error', ignore).on('data', onPiece).once('close', onOver);
        if (signal.aborted) stop();
        else signal.addEventListener('abort', stop, { once: true });
      },
    };
  } catch (error) {
    answered.then(({ body }) => discard(body, hasBody), ignore);
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function discard(body: Readable, hasBody: boolean): void {
  if (hasBody) drainAndDestroy(body);
  else body.on('error', ignore).destroy();
}

/** May be destroyed, and is with `signal`, while the body that it is fed from goes on. */
function copyOf(body: Readable, signal: AbortSignal): Readable {
  const copy = new PassThrough({ signal });
  copy.once('close', () => drainAndDestroy(body));
  body.on('error', (error) => copy.destroy(error)).pipe(copy);
  return copy;
}

/** So long an answer comes in many turns of the event loop, in which the request's own body was sent long ago. */
const mostDiscarded = 1 << 20;

function drainAndDestroy(body: Readable): void {
  let bytes = 0;
  body
    .on('error', ignore)
    .on('data', ({ length }: Buffer) => {
      bytes += length;
      if (bytes > mostDiscarded) body.destroy();
    })
    .unpipe()
    .resume();
}

/** Whoever asked has been answered already. */
function ignore(): void {}
