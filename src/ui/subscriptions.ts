import { Actor, type AnyActorRef, type InspectionEvent, isMachineSnapshot } from 'xstate';
import { type Found, foundAnywhere, machineOf, type PageSource, viewOf } from './actorTree.ts';
import { eventText } from './messages.ts';
import { type Step, stepsOf } from './steps.ts';

/**
 * The actors that pages have chosen: the only ones whose transitions are looked at. Chosen is one by its id, or
 * `newest:MACHINE`: whichever of that machine was started last.
 */
export interface ActorSubscriptions {
  /** An inspector for `createActor`. Costs next to nothing for the actors that nobody has chosen. */
  readonly inspect: (event: InspectionEvent) => void;
  /** One page more, or less, has chosen this. */
  add(id: string): void;
  remove(id: string): void;
  /** A look through all the actors begins; each root is shown, and at the end is told what is not there. */
  beginPoll(): void;
  poll(root: Found, descendants: (found: Found) => Iterable<Found>): void;
  endPoll(): void;
  /** What a page is told at the start; empty as long as nobody has looked. */
  message(id: string): string;
  /** There are other actors now, and none of those before. */
  forget(): void;
}

interface Subscription {
  pages: number;
  /** The one that is shown, also when it has ended. */
  found: Found | undefined;
  /** What it went through since its state was last told: a macrostep may be of several. */
  readonly steps: Step[];
  /** It is looked for since the look that is under way began. */
  isSought: boolean;
  /** It was told that there is none now. */
  isGone: boolean;
  sent: string;
  sentAt: number;
}

interface SubscriptionOptions {
  readonly source: () => Pick<PageSource, 'since'> | undefined;
  readonly now: () => number;
  /** Told of every message for the pages that have chosen this actor. */
  readonly tell: (id: string, text: string) => void;
}

/** An actor that lives, and was told of so recently, is not left for a newer one. Milliseconds. */
const minimumDisplay = 2000;

export function createActorSubscriptions({ source, now, tell }: SubscriptionOptions): ActorSubscriptions {
  const all = new Map<string, Subscription>();
  /** What actors went through before they were started. */
  const starting = new WeakMap<object, Step[]>();

  function messageOf(found: Found, step?: Step): string {
    const actor = viewOf(source() ?? { since: () => undefined }, asItIs(found));
    if (step === undefined) return eventText({ type: 'actor', actor });
    return eventText({ type: 'actor', actor: { ...actor, states: step.states }, transition: step.transition });
  }

  /** Each step since the last time; without any, the actor as it is, if that is news; and whether it has ended. */
  function sendChanges(id: string, chosen: Subscription, found: Found): void {
    const steps = chosen.steps.splice(0);
    for (const step of steps) tell(id, messageOf(found, step));
    const text = messageOf(found);
    if (steps.length === 0 && text !== chosen.sent) tell(id, text);
    if (text !== chosen.sent) chosen.sentAt = now();
    chosen.sent = text;
    if (!isAlive(found)) sendGone(id, chosen);
  }

  function sendGone(id: string, chosen: Subscription): void {
    if (!chosen.isGone) tell(id, goneMessage(id));
    chosen.isGone = true;
  }

  function hasStarted(actor: AnyActorRef, steps: readonly Step[]): void {
    const found = foundAnywhere(actor);
    if (found === undefined) return;
    for (const [id, chosen] of all) {
      if (id !== found.id && !(id === newestOf(found) && isFree(chosen))) continue;
      Object.assign(chosen, { found, steps: [...steps], isGone: false });
      sendChanges(id, chosen, found);
    }
  }

  function hasMoved(actor: AnyActorRef): void {
    const steps = starting.get(actor);
    starting.delete(actor);
    if (steps !== undefined) hasStarted(actor, steps);
    for (const [id, chosen] of all) {
      const { found } = chosen;
      // An event that changed no state is told with the next look: there may be thousands of them a second.
      if (found?.actor === actor && (chosen.steps.length > 0 || !isAlive(found))) sendChanges(id, chosen, found);
    }
  }

  function isFree({ found, sentAt }: Subscription): boolean {
    return found === undefined || !isAlive(found) || now() - sentAt >= minimumDisplay;
  }

  function subscriptionsOf(actor: AnyActorRef): Subscription[] {
    return [...all.values()].filter(({ found }) => found?.actor === actor);
  }

  return {
    inspect(event) {
      if (all.size === 0) return;
      const { actorRef } = event;
      if (!(actorRef instanceof Actor)) return;
      if (event.type === '@xstate.actor') starting.set(actorRef, []);
      else if (event.type === '@xstate.microstep') {
        const lists = [starting.get(actorRef) ?? [], ...subscriptionsOf(actorRef).map(({ steps }) => steps)];
        for (const list of lists) list.push(...stepsOf(event, now()));
      } else if (event.type === '@xstate.snapshot') hasMoved(actorRef);
    },
    add(id) {
      const chosen = all.get(id) ?? emptySubscription(0);
      chosen.pages += 1;
      all.set(id, chosen);
    },
    remove(id) {
      const chosen = all.get(id);
      if (chosen === undefined) return;
      chosen.pages -= 1;
      if (chosen.pages === 0) all.delete(id);
    },
    beginPoll() {
      for (const chosen of all.values()) chosen.isSought = chosen.found === undefined && !chosen.isGone;
    },
    poll(root, descendants) {
      for (const [id, chosen] of all) if (chosen.isSought) seek(id, chosen, root, descendants);
    },
    endPoll() {
      for (const [id, chosen] of all) {
        if (chosen.found !== undefined) sendChanges(id, chosen, chosen.found);
        else if (chosen.isSought) sendGone(id, chosen);
      }
    },
    message(id) {
      const { found, isGone = false } = all.get(id) ?? {};
      return (found === undefined ? '' : messageOf(found)) + (isGone ? goneMessage(id) : '');
    },
    forget() {
      for (const [id, { pages }] of all) all.set(id, emptySubscription(pages));
    },
  };

  function seek(id: string, chosen: Subscription, root: Found, descendants: (found: Found) => Iterable<Found>): void {
    if (!id.startsWith('newest:') && !`${id}/`.startsWith(`${root.id}/`)) return;
    for (const found of descendants(root)) if (isIt(id, chosen, found)) chosen.found = found;
  }

  function isIt(id: string, chosen: Subscription, found: Found): boolean {
    const since = ({ actor }: Found) => source()?.since(actor) ?? 0;
    if (id !== newestOf(found)) return id === found.id;
    return chosen.found === undefined || since(found) > since(chosen.found);
  }
}

function emptySubscription(pages: number): Subscription {
  return { pages, found: undefined, steps: [], isSought: false, isGone: false, sent: '', sentAt: 0 };
}

function newestOf(found: Found): string {
  return `newest:${machineOf(found)}`;
}

function isAlive({ actor }: Found): boolean {
  return actor.getSnapshot().status === 'active';
}

function asItIs(found: Found): Found {
  const snapshot: unknown = found.actor.getSnapshot();
  return isMachineSnapshot(snapshot) ? { ...found, snapshot } : found;
}

function goneMessage(id: string): string {
  return eventText({ type: 'actorGone', id });
}
