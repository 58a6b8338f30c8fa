/** What pointers and the wheel do in the chart. Positions are shares of its width. */
interface Actions {
  /** Multiplies the length of the range; the time at `at` stays where it is. Returns false if it cannot. */
  zoom(factor: number, at: number): boolean;
  /** Moves the range by a share of its length. */
  move(share: number): void;
  /** A drag over the lanes, which has ended if `isDone`. */
  drag(from: number, to: number, isDone: boolean): void;
  /** The drag that has not ended does not count. */
  cancel(): void;
  /** A click, in pixels of the window. */
  click(x: number, y: number, at: number): void;
  /** Whether a finger that is dragged over the lanes moves the range, as a drag of the times does. */
  readonly isMovedByTouch: () => boolean;
}

/** Pixels: a pointer that moves less than this clicks. */
const still = 4;

interface Pointer {
  readonly startX: number;
  x: number;
  movesRange: boolean;
}

/** A wheel zooms where the lanes do not scroll, two fingers everywhere. One pointer clicks or drags. */
export function followGestures(place: HTMLElement, actions: Actions): void {
  const pointers = new Map<number, Pointer>();
  let isDragging = false;
  const shareOf = (clientX: number) =>
    Math.min(1, Math.max(0, (clientX - place.getBoundingClientRect().left) / place.clientWidth));

  function wheel(event: WheelEvent): void {
    const [across, along] = turnOf(event);
    const hasControl = event.ctrlKey || event.metaKey;
    const zooms = hasControl || isOnTimes(event) || place.scrollHeight <= place.clientHeight;
    if (event.shiftKey || Math.abs(across) > Math.abs(along)) actions.move((across || along) / place.clientWidth);
    else if (!zooms) return;
    // A trackpad sends a pinch as a wheel with Ctrl, in small steps. What cannot be zoomed further scrolls the page.
    else if (!zoomed(along / (event.ctrlKey ? 25 : 100), event.clientX) && !hasControl) return;
    event.preventDefault();
  }

  function zoomed(step: number, clientX: number): boolean {
    return actions.zoom(1.5 ** Math.max(-1, Math.min(1, step)), shareOf(clientX));
  }

  function down(event: PointerEvent): void {
    const isOnScrollbar = event.clientX - place.getBoundingClientRect().left > place.clientWidth;
    if (event.button !== 0 || isOnScrollbar) return;
    const movesRange = isOnTimes(event) || (event.pointerType === 'touch' && actions.isMovedByTouch());
    pointers.set(event.pointerId, { startX: event.clientX, x: event.clientX, movesRange });
    place.setPointerCapture(event.pointerId);
    if (pointers.size === 1) return;
    for (const each of pointers.values()) each.movesRange = true;
    actions.cancel();
  }

  function move(event: PointerEvent): void {
    const pointer = pointers.get(event.pointerId);
    if (pointer === undefined) return;
    if (!isDragging && Math.abs(event.clientX - pointer.startX) < still) return;
    isDragging = true;
    const before = pointer.x;
    pointer.x = event.clientX;
    const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, each]) => each);
    if (other !== undefined) {
      const [was, is] = [Math.abs(before - other.x), Math.abs(pointer.x - other.x)];
      actions.zoom(Math.max(1, was) / Math.max(1, is), shareOf(other.x));
    } else if (pointer.movesRange) actions.move((before - pointer.x) / place.clientWidth);
    else actions.drag(shareOf(pointer.startX), shareOf(pointer.x), false);
  }

  function up(event: PointerEvent): void {
    const pointer = pointers.get(event.pointerId);
    if (pointer === undefined) return;
    const isAlone = pointers.size === 1;
    pointers.delete(event.pointerId);
    if (event.type === 'pointercancel') actions.cancel();
    else if (!isDragging) actions.click(event.clientX, event.clientY, shareOf(event.clientX));
    else if (isAlone && !pointer.movesRange) actions.drag(shareOf(pointer.startX), shareOf(event.clientX), true);
    if (isAlone) isDragging = false;
  }

  place.addEventListener('wheel', wheel, { passive: false });
  place.addEventListener('pointerdown', down);
  place.addEventListener('pointermove', move);
  for (const type of ['pointerup', 'pointercancel'] as const) place.addEventListener(type, up);
}

function isOnTimes({ target }: Event): boolean {
  return target instanceof Element && target.closest('.axis') !== null;
}

/** Pixels, sideways and down. */
function turnOf({ deltaX, deltaY, deltaMode }: WheelEvent): readonly [number, number] {
  const unit = deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : 33;
  return [deltaX * unit, deltaY * unit];
}
