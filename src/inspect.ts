import { type AnyActorRef, type InspectionEvent, isMachineSnapshot } from 'xstate';
import { failed, ok, problem, type Result } from './errors.ts';
import { objectOf, textOf } from './json.ts';

/** Shows the actors in Stately's inspector. */
export interface Inspection {
  readonly inspect: (event: InspectionEvent) => void;
  stop(): void;
}

/** Connects to an inspector server at this address (`ws://…`). Loaded on demand: it is no part of what is shipped. */
export async function connectInspector(url: string): Promise<Result<Inspection>> {
  try {
    const { createWebSocketInspector } = await import('@statelyai/inspect');
    const inspector = createWebSocketInspector({ url });
    return ok({
      inspect(event) {
        const its = event.actorRef;
        if (event.type === '@xstate.actor' && isActor(its)) {
          inspector.actor(its, {}, { rootId: event.rootId });
        } else if (event.type === '@xstate.event') inspector.event(its, trimmed(event.event));
        else if (event.type === '@xstate.snapshot') {
          inspector.snapshot(its, shown(event.snapshot), { event: trimmed(event.event) });
        }
      },
      stop: () => inspector.stop(),
    });
  } catch {
    const sentence = 'The flag --inspect needs the package @statelyai/inspect, which is not installed here.';
    return failed(
      problem('USAGE', sentence, 'It is a development dependency: run weeder from a checkout, after npm install.'),
    );
  }
}

const names = ['namespace', 'service', 'name', 'uid', 'window', 'selector', 'stream', 'actorId'] as const;

/** What names and identifies something, and nothing else: no pods, no credentials, no errors. */
export function namesOf(value: unknown): Readonly<Record<string, string | number>> {
  const known = objectOf(value);
  return Object.fromEntries(
    names.flatMap((name) => {
      const its = known[name];
      return typeof its === 'string' || typeof its === 'number' ? [[name, its]] : [];
    }),
  );
}

function trimmed(event: object): { readonly type: string } {
  return { ...namesOf(event), type: textOf(objectOf(event)['type']) ?? '' };
}

function shown(snapshot: InspectionEventSnapshot) {
  const { status } = snapshot;
  return isMachineSnapshot(snapshot)
    ? { status, value: snapshot.value, context: namesOf(snapshot.context) }
    : { status };
}

type InspectionEventSnapshot = Extract<InspectionEvent, { type: '@xstate.snapshot' }>['snapshot'];

function isActor(actor: object): actor is AnyActorRef {
  return 'getSnapshot' in actor;
}
