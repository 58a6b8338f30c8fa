/** Shows one thing after another, each for a moment, so that the eye can follow what takes milliseconds. */
interface Paced<T> {
  add(item: T): void;
  clear(): void;
}

/** So many may wait: with more the page would fall behind what it shows. */
const most = 20;

/** `pause`: milliseconds; who wants reduced motion is shown everything at once. */
export function createPaced<T>(show: (item: T) => void, pause: number): Paced<T> {
  const still = matchMedia('(prefers-reduced-motion: reduce)');
  let waiting: T[] = [];
  let timer: number | undefined;

  function next(): void {
    const [first, ...rest] = waiting;
    waiting = rest;
    timer = first === undefined ? undefined : setTimeout(next, pause);
    if (first !== undefined) show(first);
  }

  return {
    add(item) {
      waiting.push(item);
      while (waiting.length > (still.matches || document.hidden ? 0 : most)) {
        const [first, ...rest] = waiting;
        waiting = rest;
        if (first !== undefined) show(first);
      }
      if (timer === undefined) next();
    },
    clear() {
      clearTimeout(timer);
      timer = undefined;
      waiting = [];
    },
  };
}
