import { fromCallback } from 'xstate';
import { type ReflectorEvent, reflector, type StreamInput } from '../../machines/reflector.ts';
import type { Clock } from '../clock.ts';
import type { KubeClient } from './client.ts';
import { failureLog, type LossFact, type ReflectorLog } from './failureLog.ts';
import { startListWatch } from './listWatch.ts';
import type { LossReason, StreamStatuses } from './streamStatus.ts';
import type { WatchSource } from './watchOnce.ts';

/** What a reflector works with. */
export interface ReflectorParts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: ReflectorLog;
  /** Where the states of the streams are kept, for who wants to know them. */
  readonly statuses?: StreamStatuses;
  /** The stream of that name (the machine's `input.name`). */
  readonly sourceOf: (name: string) => WatchSource | undefined;
}

/** The reflector machine with its implementation: start it with `{ input: { name } }`, as a root or as a child. */
export function provideReflector({ client, clock, log, statuses, sourceOf }: ReflectorParts) {
  const failures = failureLog(log);

  function lost(reason: LossReason, loss: LossFact): void {
    failures.failed(`stream ${reason}`, loss);
    statuses?.lost(loss.stream, reason, loss.cause);
  }

  return reflector.provide({
    actors: {
      stream: fromCallback<ReflectorEvent, StreamInput>(({ input, sendBack }) => {
        const source = sourceOf(input.name);
        if (source === undefined) throw new Error(`there is no stream called "${input.name}"`);
        const { name, resourceVersion } = input;
        statuses?.begun(name, source.path, resourceVersion !== undefined);
        const heard = { ...source, onHeard: (bytes: number) => statuses?.heard(name, bytes) };
        return startListWatch(client, clock, heard, input, sendBack);
      }),
    },
    actions: {
      reportOpened: ({ context }) => {
        failures.opened(context.name);
        statuses?.opened(context.name);
      },
      reportSynced: ({ context, event }) => {
        const { resourceVersion, objects } = detailsOf(event);
        log.info({ stream: context.name, resourceVersion, objects }, 'stream synced');
        statuses?.synced(context.name, objects);
      },
      reportEnded: ({ context, event }) => {
        log.debug({ stream: context.name, cause: detailsOf(event).message }, 'stream ended, going on');
      },
      reportLost: ({ context, event }) => lost('lost', lossOf(context, event)),
      reportExpired: ({ context, event }) => lost('expired', lossOf(context, event)),
      reportSilent: ({ context, event }) => lost('silent', lossOf(context, event)),
      reportUnsupported: ({ context, event }) => {
        const cause = detailsOf(event).message;
        log.info({ stream: context.name, cause }, 'stream cannot bring the complete state, reading pages');
      },
    },
  });
}

interface Details {
  readonly message?: string;
  readonly resourceVersion?: string | undefined;
  readonly objects?: number;
  readonly error?: unknown;
}

/** The payload of whichever event it is: those of the stream, or the error of its crash. */
function detailsOf(event: { readonly type: string } & Details): Details {
  return event;
}

function lossOf(
  context: { readonly name: string; readonly attempts: number; readonly delayMs: number },
  event: { readonly type: string } & Details,
) {
  const { message, error } = detailsOf(event);
  return { stream: context.name, cause: message ?? String(error), attempt: context.attempts, delayMs: context.delayMs };
}
