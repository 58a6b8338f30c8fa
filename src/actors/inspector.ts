import type { Clock } from '@weeder/kube-runtime/base';
import { failed, messageOf, numberOf, objectOf, ok, type Result, textOf } from '@weeder/kube-runtime/base';
import {
  type AnyActorRef,
  type AnyEventObject,
  type InspectionEvent,
  isMachineSnapshot,
  type StateValue,
} from 'xstate';
import { codedError } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { isActor } from './actorRuntime.ts';
import { createInspectorSocket } from './socket.ts';

/** The connection to Stately's inspector. */
export interface Inspection {
  /** An inspector for `createActor`. */
  readonly inspect: (event: InspectionEvent) => void;
  stop(): void;
}

interface InspectionOptions {
  /** The address of the inspector's server: `ws://…`. */
  readonly url: string;
  readonly clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

interface Living {
  readonly actor: AnyActorRef;
  readonly rootId: string;
}

/**
 * Sends every actor, its events and its states, reduced to names, to an inspector. One that connects late or again
 * first receives the existing actors. Fails if the package is not installed: it is not shipped with weeder.
 */
export async function connectInspector({ url, clock, logger }: InspectionOptions): Promise<Result<Inspection>> {
  const loaded = await loadPackage();
  if (!loaded.ok) return loaded;
  const living = new Map<string, Living>();
  let wasThere = true;
  const socket = createInspectorSocket({
    url,
    clock,
    onOpen() {
      wasThere = true;
      logger.info({ url }, 'the inspector is connected');
      for (const { actor } of living.values()) introduce(actor);
    },
    onClose() {
      if (wasThere) logger.warn({ url }, 'no inspector at this address, retrying');
      wasThere = false;
    },
    onSlow: () => logger.warn({ url }, 'the inspector is too slow; some of its messages are dropped'),
  });
  const { actor, event, snapshot, start, stop } = loaded.value.createInspector(socket, {
    // What the package does not know of an actor: its own name, and its system.
    serialize(message) {
      const actor = living.get(message.sessionId);
      if (actor === undefined) return message;
      const { rootId } = actor;
      return message.type === '@xstate.actor' ? { ...message, rootId, name: actor.actor.id } : { ...message, rootId };
    },
  });
  const introduce = (its: AnyActorRef) => actor(its, trimmedSnapshot(its.getSnapshot()));
  start();
  return ok({
    inspect(inspection) {
      const { actorRef } = inspection;
      if (inspection.type === '@xstate.actor' && isActor(actorRef)) {
        living.set(actorRef.sessionId, { actor: actorRef, rootId: inspection.rootId });
        actor(actorRef, { status: 'active' });
      } else if (inspection.type === '@xstate.event') {
        event(
          actorRef,
          trimmedEvent(inspection.event),
          inspection.sourceRef === undefined ? {} : { source: inspection.sourceRef },
        );
      } else if (inspection.type === '@xstate.snapshot') {
        snapshot(actorRef, trimmedSnapshot(inspection.snapshot), { event: trimmedEvent(inspection.event) });
        if (inspection.snapshot.status !== 'active') living.delete(actorRef.sessionId);
      }
    },
    stop,
  });
}

async function loadPackage(): Promise<Result<typeof import('@statelyai/inspect')>> {
  try {
    return ok(await import('@statelyai/inspect'));
  } catch (error) {
    const hint = 'It is an optional dependency: run weeder from a checkout, after npm ci.';
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    const why = isMissing ? 'which is not installed here' : `which cannot be loaded: ${messageOf(error)}`;
    return failed(codedError('USAGE', `--inspect needs the package @statelyai/inspect, ${why}.`, hint));
  }
}

/** The fields of a context or an event that may leave the process: names and counters, by these keys only. */
const names = ['namespace', 'service', 'name', 'uid', 'window', 'actorId'] as const;

type Names = Readonly<Record<string, string | number>>;

/** Excludes pods, configs, credentials and errors: only texts and numbers under the allowed keys remain. */
export function namesOf(value: unknown): Names {
  const fields = objectOf(value);
  return Object.fromEntries(
    names.flatMap((name) => {
      const content = textOf(fields[name]) ?? numberOf(fields[name]);
      return content === undefined ? [] : [[name, content]];
    }),
  );
}

/** The event with its type and its names. */
export function trimmedEvent(event: AnyEventObject): AnyEventObject {
  return { ...namesOf(event), type: event.type };
}

/** A snapshot as it is sent to the inspector. */
interface TrimmedSnapshot {
  readonly status: Snapshot['status'];
  readonly value?: StateValue;
  readonly context?: Names;
}

type Snapshot = Extract<InspectionEvent, { type: '@xstate.snapshot' }>['snapshot'];

function trimmedSnapshot(snapshot: Snapshot): TrimmedSnapshot {
  const { status } = snapshot;
  if (!isMachineSnapshot(snapshot)) return { status };
  const value: StateValue = snapshot.value;
  return { status, value, context: namesOf(snapshot.context) };
}
