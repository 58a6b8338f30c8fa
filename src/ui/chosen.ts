import { type AnyTransitionDefinition, type InspectionEvent, isMachineSnapshot } from 'xstate';
import { eventName, idOf } from '../diagram/drawing.ts';
import { type Found, type PageSource, viewOf } from './actorTree.ts';
import { eventText } from './messages.ts';
import type { Transition } from './protocol.ts';

/** The actors that pages have chosen: the only ones whose transitions are looked at. */
export interface ChosenActors {
  /** An inspector for `createActor`. Costs nothing for the actors that nobody has chosen. */
  readonly inspect: (event: InspectionEvent) => void;
  /** One page more, or less, has chosen the actor of this id. */
  add(id: string): void;
  remove(id: string): void;
  /** A look through all the actors begins; each root is shown, and what is gone is told at the end. */
  beginLook(): void;
  look(found: Found, descendants: (found: Found) => Iterable<Found>): void;
  endLook(): void;
  /** What a page is told at the start; empty as long as nobody has looked. */
  message(id: string): string;
}

interface Chosen {
  pages: number;
  found: Found | undefined;
  /** What it went through since its state was last told: a macrostep may be of several. */
  readonly steps: Transition[];
  /** Whether the look that is under way has come across it. */
  isSeen: boolean;
  /** It was told that there is none. */
  isGone: boolean;
}

export interface ChosenOptions {
  readonly source: () => Pick<PageSource, 'since'> | undefined;
  readonly now: () => number;
  /** Told of every message for the pages that have chosen this actor. */
  readonly tell: (id: string, text: string) => void;
}

export function createChosenActors({ source, now, tell }: ChosenOptions): ChosenActors {
  const byId = new Map<string, Chosen>();
  const byActor = new Map<object, Chosen>();

  function actorMessage(found: Found, transition?: Transition): string {
    const snapshot: unknown = found.actor.getSnapshot();
    const fresh = isMachineSnapshot(snapshot) ? { ...found, snapshot } : found;
    const actor = viewOf(source() ?? { since: () => undefined }, fresh);
    return eventText({ type: 'actor', actor, ...(transition === undefined ? {} : { transition }) });
  }

  function meet(id: string, chosen: Chosen, found: Found): void {
    chosen.isSeen = true;
    const isNew = chosen.found?.actor !== found.actor;
    if (chosen.found !== undefined) byActor.delete(chosen.found.actor);
    chosen.found = found;
    chosen.isGone = false;
    byActor.set(found.actor, chosen);
    if (isNew) tell(id, actorMessage(found));
  }

  return {
    inspect(event) {
      if (byActor.size === 0) return;
      const chosen = byActor.get(event.actorRef);
      if (chosen?.found === undefined) return;
      if (event.type === '@xstate.microstep') {
        chosen.steps.push(...event._transitions.flatMap((transition) => transitionOf(transition, now()) ?? []));
      } else if (event.type === '@xstate.snapshot') {
        const steps = chosen.steps.splice(0);
        for (const step of steps) tell(chosen.found.id, actorMessage(chosen.found, step));
      }
    },
    add(id) {
      const chosen = byId.get(id) ?? { pages: 0, found: undefined, steps: [], isSeen: false, isGone: false };
      chosen.pages += 1;
      byId.set(id, chosen);
    },
    remove(id) {
      const chosen = byId.get(id);
      if (chosen === undefined) return;
      chosen.pages -= 1;
      if (chosen.pages > 0) return;
      byId.delete(id);
      if (chosen.found !== undefined) byActor.delete(chosen.found.actor);
    },
    beginLook() {
      for (const chosen of byId.values()) chosen.isSeen = false;
    },
    look(root, descendants) {
      for (const [id, chosen] of byId) {
        if (id !== root.id && !id.startsWith(`${root.id}/`)) continue;
        for (const found of descendants(root)) if (found.id === id) meet(id, chosen, found);
      }
    },
    endLook() {
      for (const [id, chosen] of byId) {
        if (chosen.isSeen || chosen.isGone) continue;
        if (chosen.found !== undefined) byActor.delete(chosen.found.actor);
        chosen.found = undefined;
        chosen.isGone = true;
        tell(id, goneMessage(id));
      }
    },
    message(id) {
      const chosen = byId.get(id);
      if (chosen?.found !== undefined) return actorMessage(chosen.found);
      return chosen?.isGone === true ? goneMessage(id) : '';
    },
  };
}

function goneMessage(id: string): string {
  return eventText({ type: 'actorGone', id });
}

/** As the picture has it; undefined for what leads nowhere. */
function transitionOf({ source, target, eventType }: AnyTransitionDefinition, at: number): Transition | undefined {
  const [to] = target ?? [];
  return to === undefined ? undefined : { at, event: eventName(eventType), from: idOf(source), to: idOf(to) };
}
