import type { ActorView, Transition } from '../../src/ui/protocol.ts';
import { byId, create, setText } from './dom.ts';
import { clockTime, span, statePath } from './format.ts';
import { createPicture } from './picture.ts';

/** The chosen actor: its statechart, where it is in it, and what it went through while it was looked at. */
export interface MachineView {
  show(actor: ActorView, transition: Transition | undefined): void;
  gone(id: string): void;
  /** Another actor is chosen, or none: what comes next begins anew. */
  choose(id: string | undefined): void;
  tick(): void;
}

/** So many transitions are kept. */
const most = 50;

export function createMachineView(now: () => number): MachineView {
  const place = byId('picture', HTMLElement);
  const picture = createPicture(place);
  const list = byId('machine-transitions', HTMLOListElement);
  const size = byId('machine-size', HTMLButtonElement);
  const none = byId('machine-none', HTMLElement);
  const view = byId('machine-view', HTMLElement);
  let shown: ActorView | undefined;

  function tick(): void {
    if (shown === undefined) return;
    setText(byId('machine-since', HTMLElement), `${clockTime(shown.since)} (${span(now() - shown.since)})`);
  }

  function follow(): void {
    if (size.getAttribute('aria-pressed') === 'true') return;
    const lit = [...place.querySelectorAll('.lit')].at(-1);
    if (lit === undefined) return;
    const [box, frame] = [lit.getBoundingClientRect(), place.getBoundingClientRect()];
    place.scrollBy(
      box.left + box.width / 2 - frame.left - frame.width / 2,
      box.top + box.height / 2 - frame.top - frame.height / 2,
    );
  }

  size.addEventListener('click', () => {
    const isWhole = size.getAttribute('aria-pressed') !== 'true';
    size.setAttribute('aria-pressed', String(isWhole));
    place.classList.toggle('whole', isWhole);
    follow();
  });
  return {
    show(actor, transition) {
      none.hidden = true;
      view.hidden = false;
      shown = actor;
      setText(byId('machine-title', HTMLElement), `Machine: ${actor.machine}`);
      setText(byId('machine-actor', HTMLElement), actor.id);
      setText(byId('machine-state', HTMLElement), innermost(actor.states).map(statePath).join(', '));
      setText(byId('machine-waits', HTMLElement), actor.waitsFor.join(', ') || '–');
      place.setAttribute('aria-label', `Statechart of ${actor.machine}`);
      tick();
      picture.light(actor.states);
      if (transition !== undefined) {
        list.prepend(entry(transition));
        while (list.children.length > most) list.lastElementChild?.remove();
        picture.take(transition);
      }
      byId('machine-still', HTMLElement).hidden = list.children.length > 0;
      picture.show(actor.machine).then(follow, () => {
        place.replaceChildren(create('p', { class: 'none', text: `There is no picture of ${actor.machine}.` }));
      });
    },
    gone(id) {
      shown = undefined;
      picture.light([]);
      setText(byId('machine-state', HTMLElement), 'it has ended');
      setText(byId('machine-waits', HTMLElement), '–');
      if (!view.hidden) return;
      none.hidden = false;
      setText(none, `There is no actor ${id} now.`);
    },
    choose(id) {
      shown = undefined;
      list.replaceChildren();
      picture.take(undefined);
      view.hidden = true;
      none.hidden = id !== undefined;
      setText(byId('machine-title', HTMLElement), 'Machine');
    },
    tick,
  };
}

/** The states that have no active state within them: the others only surround these. */
export function innermost(states: readonly string[]): string[] {
  return states.filter((state) => !states.some((other) => other.startsWith(`${state}.`)));
}

function entry({ at, event, from, to }: Transition): HTMLLIElement {
  return create(
    'li',
    {},
    create('time', { text: clockTime(at) }),
    create('span', { class: 'event', text: event }),
    create('span', { class: 'soft', text: `${statePath(from)} → ${statePath(to)}` }),
  );
}
