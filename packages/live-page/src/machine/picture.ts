import type { Transition } from '../../protocol/protocol.ts';
import { create, onceAFrame } from '../dom.ts';
import { createZoom, type ZoomButtons } from './zoom.ts';

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
  /** The next picture opens as the first one does. */
  clear(): void;
}

export function createPicture(place: HTMLElement, buttons?: ZoomButtons): ShownPicture {
  const texts = new Map<string, Promise<string>>();
  const zoom = createZoom(place, highlighted, buttons);
  const follow = onceAFrame(zoom.follow);
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

  /** The highlighted state, with the highlighted arrow if there is room for both. */
  function highlighted(width: number, height: number): DOMRect | undefined {
    // The last ones are not in the overview, but where their state is drawn in full.
    const box = [...place.querySelectorAll('.lit:not(.open)')].at(-1)?.getBoundingClientRect();
    const arrow = [...place.querySelectorAll('.taken:is(.arrow,.exit)')].at(-1)?.getBoundingClientRect();
    if (box === undefined || arrow === undefined) return box;
    const [left, right] = [Math.min(box.left, arrow.left), Math.max(box.right, arrow.right)];
    const [top, bottom] = [Math.min(box.top, arrow.top), Math.max(box.bottom, arrow.bottom)];
    const hasRoom = right - left < width && bottom - top < height;
    return hasRoom ? new DOMRect(left, top, right - left, bottom - top) : box;
  }

  async function load(machine: string): Promise<void> {
    const text = texts.get(machine) ?? fetchPicture(machine);
    texts.set(machine, text);
    try {
      const picture = parsed(await text, place.id);
      if (requested !== machine) return;
      place.replaceChildren(picture);
      draw();
      zoom.begin();
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
      place.setAttribute('aria-label', `Statechart of ${machine}: plus and minus zoom, 0 fits, arrows move`);
      if (requested === machine) return;
      requested = machine;
      void load(machine);
    },
    light(states) {
      if (String(states) === String(lit)) return;
      lit = states;
      draw();
      follow();
    },
    take(transition) {
      taken = undefined;
      draw();
      // The layout without the class restarts the animation if the same arrow is highlighted again.
      place.getBoundingClientRect();
      taken = transition;
      draw();
      follow();
    },
    clear() {
      requested = '';
      lit = [];
      place.replaceChildren();
    },
  };
}

async function fetchPicture(machine: string): Promise<string> {
  const response = await fetch(`/machines/${encodeURIComponent(machine)}.svg`, { signal: AbortSignal.timeout(10_000) });
  if (!response.ok) throw new Error(`there is no picture of ${machine}`);
  return response.text();
}

/**
 * Removes the picture's style sheet: the page's policy forbids it, and page.css has the same rules. `place`: before the
 * ids, because a picture with the same ones may be hidden elsewhere in the page, and arrows have no tips from there.
 */
function parsed(text: string, place: string): Element {
  const bare = text.replace(/<style>[^<]*<\/style>/, '').replaceAll(/( id="|\(#)/g, `$1${place}-`);
  return document.importNode(new DOMParser().parseFromString(bare, 'image/svg+xml').documentElement, true);
}
