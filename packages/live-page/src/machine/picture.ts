import type { Transition } from '../../protocol/protocol.ts';
import { create, onceAFrame } from '../dom.ts';

/**
 * The pictures of a machine, as elements of the page, so that boxes and arrows can be highlighted: those of the overview
 * and those of the picture that shows the same state or transition in full.
 */
interface ShownPicture {
  /** Shows this machine. The newest call takes precedence. */
  show(machine: string): void;
  light(states: readonly string[]): void;
  /** Highlights the arrow of this transition, or the lines that replace it, until the next transition, and animates it once. */
  take(transition: Transition | undefined): void;
  /** Shows the picture as a whole, or in full size and scrolled to the highlighted state. */
  showWhole(isWhole: boolean): void;
}

export function createPicture(place: HTMLElement): ShownPicture {
  const texts = new Map<string, Promise<string>>();
  let requested = '';
  let lit: readonly string[] = [];
  let taken: Transition | undefined;

  function draw(): void {
    for (const box of place.querySelectorAll('.box')) {
      box.classList.toggle('lit', lit.includes(box.getAttribute('data-state') ?? ''));
    }
    // The arrow to a spawned actor belongs to no transition.
    const way = taken === undefined ? undefined : `${taken.from}:${taken.to}`;
    for (const arrow of place.querySelectorAll('[data-ways]')) {
      const ways = (arrow.getAttribute('data-ways') ?? '').split(' ');
      arrow.classList.toggle('taken', way !== undefined && ways.includes(way));
    }
  }

  /** Scrolls to the highlighted state, and to the highlighted arrow if there is room for both. */
  const follow = onceAFrame(() => {
    // The last ones are not in the overview, but where their state is drawn in full.
    const box = [...place.querySelectorAll('.lit:not(.open)')].at(-1)?.getBoundingClientRect();
    if (box === undefined || place.classList.contains('whole')) return;
    const arrow = [...place.querySelectorAll('.taken:is(.arrow,.exit)')].at(-1)?.getBoundingClientRect() ?? box;
    const frame = place.getBoundingClientRect();
    const [left, right] = [Math.min(box.left, arrow.left), Math.max(box.right, arrow.right)];
    const [top, bottom] = [Math.min(box.top, arrow.top), Math.max(box.bottom, arrow.bottom)];
    const hasRoom = right - left < frame.width && bottom - top < frame.height;
    const [x, y] = hasRoom
      ? [(left + right) / 2, (top + bottom) / 2]
      : [box.left + box.width / 2, box.top + box.height / 2];
    place.scrollBy(x - frame.left - frame.width / 2, y - frame.top - frame.height / 2);
  });

  async function load(machine: string): Promise<void> {
    const text = texts.get(machine) ?? fetchPicture(machine);
    texts.set(machine, text);
    try {
      const picture = parsed(await text);
      if (requested !== machine) return;
      place.replaceChildren(picture);
      draw();
      follow();
    } catch {
      // The actor's next transition requests the picture again.
      texts.delete(machine);
      if (requested !== machine) return;
      requested = '';
      place.replaceChildren(create('p', { class: 'none', text: `There is no picture of ${machine}.` }));
    }
  }

  return {
    show(machine) {
      place.setAttribute('aria-label', `Statechart of ${machine}`);
      if (requested === machine) return follow();
      requested = machine;
      void load(machine);
    },
    light(states) {
      lit = states;
      draw();
    },
    take(transition) {
      taken = undefined;
      draw();
      // The layout without the class restarts the animation if the same arrow is highlighted again.
      place.getBoundingClientRect();
      taken = transition;
      draw();
    },
    showWhole(isWhole) {
      place.classList.toggle('whole', isWhole);
      follow();
    },
  };
}

async function fetchPicture(machine: string): Promise<string> {
  const response = await fetch(`/machines/${encodeURIComponent(machine)}.svg`, { signal: AbortSignal.timeout(10_000) });
  if (!response.ok) throw new Error(`there is no picture of ${machine}`);
  return response.text();
}

/** Removes the picture's style sheet: the page's policy forbids it, and page.css has the same rules. */
function parsed(text: string): Element {
  const bare = text.replace(/<style>[^<]*<\/style>/, '');
  return document.importNode(new DOMParser().parseFromString(bare, 'image/svg+xml').documentElement, true);
}
