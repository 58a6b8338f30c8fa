import { PassThrough, type Readable } from 'node:stream';
import type { Dispatcher } from 'undici';

type Answer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'> & { readonly body: Readable };

/**
 * The answer to a request that has a body, for as long as `signal` is not aborted. On the connection the request goes on
 * after that, and what is still answered is read and thrown away: Node's HTTP/2 (26.10) does not forget the body of a
 * stream that is destroyed while it is being sent, and writes empty frames for it without end, in one turn of the event
 * loop, until memory is full. The connection is not kept by it: it is replaced when it does not answer.
 */
export async function sentWhole(answered: Promise<Dispatcher.ResponseData>, signal: AbortSignal): Promise<Answer> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const { statusCode, headers, body } = await Promise.race([answered, aborted]);
    return { statusCode, headers, body: readable(body, signal) };
  } catch (error) {
    answered.then(({ body }) => throwAway(body), throwAwayError);
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** May be destroyed, and ends with `signal`, while the body that it is fed from goes on. */
function readable(body: Readable, signal: AbortSignal): Readable {
  const copy = new PassThrough({ signal });
  copy.once('close', () => throwAway(body));
  body.on('error', (error) => copy.destroy(error)).pipe(copy);
  return copy;
}

function throwAway(body: Readable): void {
  body.on('error', throwAwayError).unpipe().resume();
}

/** Whoever asked has been answered already. */
function throwAwayError(): void {}
