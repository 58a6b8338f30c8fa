import type { Transition } from '../../protocol/protocol.ts';
import { byId, create } from '../dom.ts';
import { statePath } from '../format.ts';
import { timeElement } from '../times.ts';

/** The transitions of the shown actors, newest first. */
interface TransitionList {
  /** The next transitions are those of this actor. */
  begin(actor: string): void;
  add(transition: Transition): void;
  clear(): void;
}

/** The maximum number of entries. */
const max = 50;

export function createTransitionList(): TransitionList {
  const list = byId('machine-transitions', HTMLOListElement);
  const still = byId('machine-still', HTMLElement);

  function prepend(entry: HTMLLIElement): void {
    list.prepend(entry);
    while (list.children.length > max) list.lastElementChild?.remove();
  }

  return {
    begin(actor) {
      // The page shows the name of the first actor above the list.
      if (list.children.length > 0) prepend(create('li', { class: 'begins soft', text: actor }));
    },
    add({ at, event, from, to }) {
      still.hidden = true;
      const path = `${statePath(from)} → ${statePath(to)}`;
      const time = timeElement(at);
      prepend(
        create(
          'li',
          {},
          time,
          create('span', { class: 'event', text: event }),
          create('span', { class: 'soft', text: path }),
        ),
      );
    },
    clear() {
      list.replaceChildren();
      still.hidden = false;
    },
  };
}
