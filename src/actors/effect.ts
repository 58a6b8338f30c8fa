import { messageOf } from '@weeder/kube-runtime/base';
import { type AnyEventObject, fromCallback, type NonReducibleUnknown } from 'xstate';
import { track } from '../base/promises.ts';

/** Registers work that is done after the machine has received the event. */
export type Defer = (work: () => void) => void;

/** The event that the machine receives, or a function that stores the result and returns the event without a pause. */
type Outcome = AnyEventObject | (() => AnyEventObject);

/** Makes requests; undefined: there is nothing to do, and the machine receives no event. */
type RunEffect<TInput> = (input: TInput, signal: AbortSignal, defer: Defer) => Promise<Outcome> | undefined;

/** Returns a number from 0 to 1, for the jitter of this actor. */
export type Random = (actor: string) => number;

interface EffectOptions<TInput> {
  /** The type of the event in place of an error, which is a bug in weeder; its `reason` is the message. */
  readonly failure: string;
  /** The event has its value as `jitter`. */
  readonly random: Random;
  /** The actor whose machine invokes the effect. */
  readonly actorOf: (input: TInput) => string;
  /** Holds the effect until it has ended; undefined: a shutdown does not wait for it. */
  readonly inFlight?: (input: TInput) => Set<Promise<unknown>>;
}

const ended = new Error('the caller no longer waits');

/**
 * The logic of an actor that a machine invokes for its requests. The machine receives one event. When the machine
 * leaves the state, the signal is aborted and a late event is dropped.
 */
export function effectLogic<TInput extends NonReducibleUnknown>(
  options: EffectOptions<TInput>,
  run: RunEffect<TInput>,
) {
  const { failure, random, actorOf, inFlight } = options;
  return fromCallback<AnyEventObject, TInput>(({ input, sendBack }) => {
    // `abort()` gets an existing reason, because it would otherwise create an exception with a stack for every effect.
    const stop = new AbortController();
    // Per effect, because the event of one effect starts the next before the first has ended.
    const deferred: (() => void)[] = [];
    const running = run(input, stop.signal, (work) => deferred.push(work));
    if (running === undefined) return undefined;
    const answered = running
      .then(
        (outcome) =>
          sendBack({ ...(typeof outcome === 'function' ? outcome() : outcome), jitter: random(actorOf(input)) }),
        (error) => sendBack({ type: failure, reason: messageOf(error), jitter: random(actorOf(input)) }),
      )
      .finally(() => {
        for (const work of deferred) work();
      });
    if (inFlight !== undefined) track(inFlight(input), answered);
    return () => stop.abort(ended);
  });
}
