import { Actor, type AnyActorRef, type InspectionEvent, isMachineSnapshot } from 'xstate';
import { type Found, foundAnywhere, machineOf, viewOf } from './actorTree.ts';
import { eventText } from './messages.ts';
import type { PageSource } from './pageSource.ts';
import { type Step, stepsOf } from './steps.ts';

/**
 * The actors that pages have chosen: only their transitions are observed. An actor is chosen by id, or as
 * `newest:MACHINE`: the one of that machine that was started last.
 */
export interface ActorSubscriptions {
  /** An inspector for `createActor`. It costs next to nothing for actors that are not chosen. */
  readonly inspect: (event: InspectionEvent) => void;
  /** One more page, or one fewer, has chosen this actor. */
  add(id: string): void;
  remove(id: string): void;
  /** Begins a poll of all actors; each root is passed in, and at the end missing actors are reported. */
  beginPoll(): void;
  poll(root: Found, descendants: (found: Found) => Iterable<Found>): void;
  endPoll(): void;
  /** The first message for a page; empty before the first poll. */
  message(id: string): string;
  /** The source has changed, and all actors are different ones. */
  forget(): void;
}

interface Subscription {
  pages: number;
  /** The shown actor, even if it has ended. */
  found: Found | undefined;
  /** The steps since the last message: a macrostep may have several. */
  readonly steps: Step[];
  /** The actor is searched for in the poll that is running. */
  isSearched: boolean;
  /** It was reported that the actor does not exist. */
  isStopped: boolean;
  sent: string;
  sentAt: number;
}

interface SubscriptionOptions {
  readonly source: () => Pick<PageSource, 'since'> | undefined;
  readonly now: () => number;
  /** Called with every message for the pages that have chosen this actor. */
  readonly send: (id: string, text: string) => void;
}

/** An active actor that was reported within this time is not replaced by a newer one. Milliseconds. */
const minimumDisplay = 2000;

export function createActorSubscriptions({ source, now, send }: SubscriptionOptions): ActorSubscriptions {
  const subscriptions = new Map<string, Subscription>();
  /** The steps of actors before they were started. */
  const starting = new WeakMap<object, Step[]>();

  function messageOf(located: Found, step?: Step): string {
    const actor = viewOf(source() ?? { since: () => undefined }, refreshed(located));
    if (step === undefined) return eventText({ type: 'actor', actor });
    return eventText({ type: 'actor', actor: { ...actor, states: step.states }, transition: step.transition });
  }

  /**
   * Sends each step since the last message; without any, the current state if it has changed; and whether the actor has
   * ended.
   */
  function sendChanges(id: string, chosen: Subscription, located: Found): void {
    const steps = chosen.steps.splice(0);
    for (const step of steps) send(id, messageOf(located, step));
    const text = messageOf(located);
    if (steps.length === 0 && text !== chosen.sent) send(id, text);
    if (text !== chosen.sent) chosen.sentAt = now();
    chosen.sent = text;
    if (!isAlive(located)) sendStopped(id, chosen);
  }

  function sendStopped(id: string, chosen: Subscription): void {
    if (!chosen.isStopped) send(id, stoppedMessage(id));
    chosen.isStopped = true;
  }

  function hasStarted(actor: AnyActorRef, steps: readonly Step[]): void {
    const located = foundAnywhere(actor);
    if (located === undefined) return;
    for (const [id, chosen] of subscriptions) {
      if (id !== located.id && !(id === newestOf(located) && isFree(chosen))) continue;
      Object.assign(chosen, { found: located, steps: [...steps], isStopped: false });
      sendChanges(id, chosen, located);
    }
  }

  function hasMoved(actor: AnyActorRef): void {
    const steps = starting.get(actor);
    starting.delete(actor);
    if (steps !== undefined) hasStarted(actor, steps);
    for (const [id, chosen] of subscriptions) {
      const { found: located } = chosen;
      // An event without a change of state is sent with the next poll: there may be thousands of them per second.
      if (located?.actor === actor && (chosen.steps.length > 0 || !isAlive(located))) sendChanges(id, chosen, located);
    }
  }

  function isFree({ found: located, sentAt }: Subscription): boolean {
    return located === undefined || !isAlive(located) || now() - sentAt >= minimumDisplay;
  }

  function subscriptionsOf(actor: AnyActorRef): Subscription[] {
    return [...subscriptions.values()].filter(({ found }) => found?.actor === actor);
  }

  return {
    inspect(event) {
      if (subscriptions.size === 0) return;
      const { actorRef } = event;
      if (!(actorRef instanceof Actor)) return;
      if (event.type === '@xstate.actor') starting.set(actorRef, []);
      else if (event.type === '@xstate.microstep') {
        const lists = [starting.get(actorRef) ?? [], ...subscriptionsOf(actorRef).map(({ steps }) => steps)];
        for (const list of lists) list.push(...stepsOf(event, now()));
      } else if (event.type === '@xstate.snapshot') hasMoved(actorRef);
    },
    add(id) {
      const chosen = subscriptions.get(id) ?? emptySubscription(0);
      chosen.pages += 1;
      subscriptions.set(id, chosen);
    },
    remove(id) {
      const chosen = subscriptions.get(id);
      if (chosen === undefined) return;
      chosen.pages -= 1;
      if (chosen.pages === 0) subscriptions.delete(id);
    },
    beginPoll() {
      for (const chosen of subscriptions.values()) chosen.isSearched = chosen.found === undefined && !chosen.isStopped;
    },
    poll(root, descendants) {
      for (const [id, chosen] of subscriptions) if (chosen.isSearched) seek(id, chosen, root, descendants);
    },
    endPoll() {
      for (const [id, chosen] of subscriptions) {
        if (chosen.found !== undefined) sendChanges(id, chosen, chosen.found);
        else if (chosen.isSearched) sendStopped(id, chosen);
      }
    },
    message(id) {
      const { found, isStopped = false } = subscriptions.get(id) ?? {};
      return (found === undefined ? '' : messageOf(found)) + (isStopped ? stoppedMessage(id) : '');
    },
    forget() {
      for (const [id, { pages }] of subscriptions) subscriptions.set(id, emptySubscription(pages));
    },
  };

  function seek(id: string, chosen: Subscription, root: Found, descendants: (found: Found) => Iterable<Found>): void {
    if (!id.startsWith('newest:') && !`${id}/`.startsWith(`${root.id}/`)) return;
    for (const located of descendants(root)) if (isChosen(id, chosen, located)) chosen.found = located;
  }

  function isChosen(id: string, chosen: Subscription, located: Found): boolean {
    const since = ({ actor }: Found) => source()?.since(actor) ?? 0;
    if (id !== newestOf(located)) return id === located.id;
    return chosen.found === undefined || since(located) > since(chosen.found);
  }
}

function emptySubscription(pages: number): Subscription {
  return { pages, found: undefined, steps: [], isSearched: false, isStopped: false, sent: '', sentAt: 0 };
}

function newestOf(located: Found): string {
  return `newest:${machineOf(located)}`;
}

function isAlive({ actor }: Found): boolean {
  return actor.getSnapshot().status === 'active';
}

function refreshed(located: Found): Found {
  const snapshot: unknown = located.actor.getSnapshot();
  return isMachineSnapshot(snapshot) ? { ...located, snapshot } : located;
}

function stoppedMessage(id: string): string {
  return eventText({ type: 'actorStopped', id });
}
