import type { Transition } from '../../src/ui/protocol.ts';

/** The picture of a machine, in the page, so that its boxes and arrows can be lit. */
export interface ShownPicture {
  /** Draws another machine; the newest call wins. Throws when the server gives no picture of it. */
  show(machine: string): Promise<void>;
  light(states: readonly string[]): void;
  /** The arrow that was taken: lit until the next one is, and moving for a moment. */
  take(transition: Transition | undefined): void;
}

export function createPicture(place: Element): ShownPicture {
  const texts = new Map<string, Promise<string>>();
  let wanted = '';
  let lit: readonly string[] = [];
  let taken: Transition | undefined;

  function draw(): void {
    for (const box of place.querySelectorAll('.box')) {
      box.classList.toggle('lit', lit.includes(box.getAttribute('data-state') ?? ''));
    }
    for (const arrow of place.querySelectorAll('.arrow,.label')) {
      const [from, to] = [arrow.getAttribute('data-from'), arrow.getAttribute('data-to')];
      arrow.classList.toggle('taken', taken !== undefined && from === taken.from && to === taken.to);
    }
  }

  return {
    async show(machine) {
      if (wanted === machine) return;
      wanted = machine;
      const text = texts.get(machine) ?? fetchPicture(machine);
      texts.set(machine, text);
      try {
        const picture = parsed(await text);
        if (wanted !== machine) return;
        place.replaceChildren(picture);
        draw();
      } catch (error) {
        texts.delete(machine);
        if (wanted === machine) wanted = '';
        throw error;
      }
    },
    light(states) {
      lit = states;
      draw();
    },
    take(transition) {
      taken = undefined;
      draw();
      // The browser has to see the arrow without its class, or the animation of the same arrow does not begin anew.
      place.getBoundingClientRect();
      taken = transition;
      draw();
    },
  };
}

async function fetchPicture(machine: string): Promise<string> {
  const response = await fetch(`/machines/${encodeURIComponent(machine)}.svg`);
  if (!response.ok) throw new Error(`there is no picture of ${machine}`);
  return response.text();
}

/** Without its own style sheet: the page's policy refuses it, and page.css has the same rules. */
function parsed(text: string): Element {
  const bare = text.replace(/<style>[^<]*<\/style>/, '');
  return document.importNode(new DOMParser().parseFromString(bare, 'image/svg+xml').documentElement, true);
}
