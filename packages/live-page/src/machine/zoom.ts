/** The size of a picture in its frame. The user zooms by buttons, keys and wheel, and pans by dragging or scrolling. */
interface Zoom {
  /** The frame shows another picture, which opens in the size of its place. */
  begin(): void;
  /** Scrolls to what is highlighted, if the user has chosen to follow it. */
  follow(): void;
}

export interface ZoomButtons {
  readonly fitted: HTMLButtonElement;
  readonly following: HTMLButtonElement;
  readonly closer: HTMLButtonElement;
  readonly farther: HTMLButtonElement;
}

/** `fitted`: all of it is visible. `following`: in full size, and scrolled to what is highlighted. */
type Mode = 'fitted' | 'following' | 'chosen';

const step = 1.25;
/** Of the full size. */
const largest = 4;
/** The border of the frame on both sides, in pixels, as in page.css. */
const borders = 2;

/**
 * `target`: the rectangle of what is highlighted, in a frame of this size; undefined: nothing is. Without buttons the
 * picture opens at what is highlighted.
 */
export function createZoom(
  frame: HTMLElement,
  target: (width: number, height: number) => DOMRect | undefined,
  buttons?: ZoomButtons,
): Zoom {
  const opening = buttons === undefined ? 'following' : 'fitted';
  let mode: Mode = opening;
  let scale = 1;

  function fittingScale(picture: SVGSVGElement): number {
    const { width, height } = picture.viewBox.baseVal;
    const maxHeight = Number.parseFloat(getComputedStyle(frame).maxHeight);
    return Math.min(1, (frame.offsetWidth - borders) / width, (maxHeight - borders) / height);
  }

  function resize(picture: SVGSVGElement, to: number): void {
    scale = to;
    const { width, height } = picture.viewBox.baseVal;
    picture.setAttribute('width', String(Math.floor(width * scale)));
    picture.setAttribute('height', String(Math.floor(height * scale)));
  }

  function enter(next: Mode): void {
    mode = next;
    for (const each of ['fitted', 'following'] as const)
      buttons?.[each].setAttribute('aria-pressed', String(each === mode));
    const picture = frame.querySelector('svg');
    // A hidden frame has no width; it is fitted when it is shown.
    if (picture === null || frame.offsetWidth === 0) return;
    if (mode === 'fitted') resize(picture, fittingScale(picture));
    if (mode !== 'following') return;
    resize(picture, 1);
    follow();
  }

  function follow(): void {
    if (mode !== 'following') return;
    const { left, top, width, height } = frame.getBoundingClientRect();
    const to = target(width, height);
    if (to !== undefined) frame.scrollBy(middle(to).x - left - width / 2, middle(to).y - top - height / 2);
  }

  /** The point at this place of the window stays there. Smaller than fitted is fitted. */
  function zoom(factor: number, { x, y } = anchor()): void {
    const picture = frame.querySelector('svg');
    if (picture === null) return;
    const to = Math.min(largest, scale * factor);
    if (to <= fittingScale(picture)) {
      enter('fitted');
      return;
    }
    enter('chosen');
    const before = picture.getBoundingClientRect();
    resize(picture, to);
    const after = picture.getBoundingClientRect();
    const shift = (at: number, from: number, size: number, start: number, newSize: number) =>
      start + ((at - from) / size) * newSize - at;
    frame.scrollBy(
      shift(x, before.left, before.width, after.left, after.width),
      shift(y, before.top, before.height, after.top, after.height),
    );
  }

  /** What is highlighted, or else the middle of the frame. */
  function anchor(): { readonly x: number; readonly y: number } {
    const visible = frame.getBoundingClientRect();
    const center = middle(target(visible.width, visible.height) ?? visible);
    const isVisible =
      center.x > visible.left && center.x < visible.right && center.y > visible.top && center.y < visible.bottom;
    return isVisible ? center : middle(visible);
  }

  const keys: Readonly<Record<string, () => void>> = {
    '+': () => zoom(step),
    '=': () => zoom(step),
    '-': () => zoom(1 / step),
    '0': () => enter('fitted'),
  };
  buttons?.fitted.addEventListener('click', () => enter('fitted'));
  buttons?.following.addEventListener('click', () => enter('following'));
  buttons?.closer.addEventListener('click', () => zoom(step));
  buttons?.farther.addEventListener('click', () => zoom(1 / step));
  frame.addEventListener('keydown', ({ key, ctrlKey, metaKey, altKey }) => {
    if (!ctrlKey && !metaKey && !altKey) keys[key]?.();
  });
  frame.addEventListener(
    'wheel',
    (event) => {
      // The wheel alone scrolls the page, which the picture would otherwise trap. A pinch on a touchpad has the Ctrl key.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 200), event);
    },
    { passive: false },
  );
  frame.addEventListener('pointerdown', ({ button, pointerId, pointerType }) => {
    // A finger scrolls the frame without help.
    if (button === 0 && pointerType === 'mouse') frame.setPointerCapture(pointerId);
  });
  frame.addEventListener('pointermove', ({ pointerId, movementX, movementY }) => {
    if (!frame.hasPointerCapture(pointerId)) return;
    if (mode === 'following') enter('chosen');
    frame.scrollBy(-movementX, -movementY);
  });
  new ResizeObserver(() => {
    if (mode !== 'chosen') enter(mode);
  }).observe(frame);
  return { begin: () => enter(opening), follow };
}

function middle({ x, y, width, height }: DOMRect): { readonly x: number; readonly y: number } {
  return { x: x + width / 2, y: y + height / 2 };
}
