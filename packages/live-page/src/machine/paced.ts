/** Shows items one after the other, each for a minimum time, so that a user can follow fast transitions. */
interface Paced<T> {
  add(item: T): void;
  clear(): void;
}

/** The maximum number of waiting items. With more, the page would lag behind. */
const max = 20;

/** `pause`: milliseconds. There is no pause if the browser prefers reduced motion. */
export function createPaced<T>(show: (item: T) => void, pause: number): Paced<T> {
  const still = matchMedia('(prefers-reduced-motion: reduce)');
  let waiting: T[] = [];
  let timer: number | undefined;

  function next(): void {
    const [first, ...rest] = waiting;
    waiting = rest;
    if (first !== undefined) show(first);
    // Drawing takes time, too.
    timer = first === undefined ? undefined : setTimeout(next, pause);
  }

  return {
    add(item) {
      waiting.push(item);
      while (waiting.length > (still.matches || document.hidden ? 0 : max)) {
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
