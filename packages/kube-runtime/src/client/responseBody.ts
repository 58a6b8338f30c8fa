import { addAbortSignal, PassThrough, type Readable } from 'node:stream';
import type { Dispatcher } from 'undici';

/** A response whose headers have arrived. The rest has to be consumed immediately, by one of the two methods. */
interface ReceivedResponse extends Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'> {
  /** The stream is destroyed with the request's signal. */
  read(): Readable;
  /**
   * Discards the body. Calls `onPiece` for each part of it, and `onOver` once when it has ended, failed or been aborted
   * by the signal.
   */
  drain(onPiece: () => void, onOver: () => void): void;
}

/**
 * The response to a request, until `signal` is aborted. After that the caller no longer waits, but the request
 * continues on its connection: Node's HTTP/2 (26.10) forgets a stream that is destroyed while the connection is busy
 * writing, and then does not reset it. If the request body was not sent, empty frames are written for it endlessly, in
 * one turn of the event loop, until memory is full. If the headers arrive later, they create an unknown stream, whose
 * error at the end of the connection ends the process. So a request with a body is read to its end, or for another MiB,
 * and any other request until its headers have arrived. This keeps no dead connection open: one that does not respond
 * is replaced.
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

/** This copy may be destroyed, and is with `signal`, while the body that feeds it continues. */
function copyOf(body: Readable, signal: AbortSignal): Readable {
  const copy = new PassThrough({ signal });
  copy.once('close', () => drainAndDestroy(body));
  body.on('error', (error) => copy.destroy(error)).pipe(copy);
  return copy;
}

/** A response of this length takes many turns of the event loop, so the request body has been sent by then. */
const maxDiscardedBytes = 1 << 20;

function drainAndDestroy(body: Readable): void {
  let bytes = 0;
  body
    .on('error', ignore)
    .on('data', ({ length }: Buffer) => {
      bytes += length;
      if (bytes > maxDiscardedBytes) body.destroy();
    })
    .unpipe()
    .resume();
}

/** The caller has already received its result. */
function ignore(): void {}
