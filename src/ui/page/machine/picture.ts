import type { Transition } from '../../protocol.ts';
import { create, onceAFrame } from '../dom.ts';

/** The picture of a machine, in the page, so that its boxes and arrows can be lit. */
interface ShownPicture {
  /** Draws this machine; the newest call wins. */
  show(machine: string): void;
  light(states: readonly string[]): void;
  /** The arrow that was taken: lit until the next one is, and moving for a moment. */
  take(transition: Transition | undefined): void;
  /** As small as its place, or as large as it was drawn and scrolled to what is lit. */
  showWhole(isWhole: boolean): void;
}

export function createPicture(place: HTMLElement): ShownPicture {
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

  /** To what is lit, and to where it came from when there is room for both. */
  const follow = onceAFrame(() => {
    const box = [...place.querySelectorAll('.lit')].at(-1)?.getBoundingClientRect();
    if (box === undefined || place.classList.contains('whole')) return;
    const arrow = place.querySelector('.arrow.taken')?.getBoundingClientRect() ?? box;
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
      if (wanted !== machine) return;
      place.replaceChildren(picture);
      draw();
      follow();
    } catch {
      // It is asked for again with the actor's next transition; until then there is a sentence in its place.
      texts.delete(machine);
      if (wanted !== machine) return;
      wanted = '';
      place.replaceChildren(create('p', { class: 'none', text: `There is no picture of ${machine}.` }));
    }
  }

  return {
    show(machine) {
      place.setAttribute('aria-label', `Statechart of ${machine}`);
      if (wanted === machine) return follow();
      wanted = machine;
      void load(machine);
    },
    light(states) {
      lit = states;
      draw();
    },
    take(transition) {
      taken = undefined;
      draw();
      // The browser has to see the arrow without its class, or the animation of the same arrow does not restart.
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

/** Without its own style sheet: the page's policy refuses it, and page.css has the same rules. */
function parsed(text: string): Element {
  const bare = text.replace(/<style>[^<]*<\/style>/, '');
  return document.importNode(new DOMParser().parseFromString(bare, 'image/svg+xml').documentElement, true);
}
