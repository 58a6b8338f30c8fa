import { addPart } from '../address.ts';
import type { ShownRange } from './range.ts';

/** Milliseconds. A browser accepts only a few changes of the address in a second, and a wheel makes many. */
const rest = 200;

/** Keeps the range in the address. Returns a function that is to be called when it has changed. */
export function keepInAddress(range: Pick<ShownRange, 'text' | 'read'>, onRead: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = addPart('timeline', 'range', {
    initial: '',
    show(text) {
      clearTimeout(timer);
      range.read(text);
      onRead();
    },
  });
  return () => {
    clearTimeout(timer);
    timer = setTimeout(() => write(range.text()), rest);
  };
}
