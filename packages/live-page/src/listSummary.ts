import { byId, setText } from './dom.ts';
import { count } from './format.ts';

interface Texts {
  readonly empty: string;
  readonly noMatch: string;
  /** Follows the numbers of items that are shown and that match, if the list is cut. */
  readonly cut?: string;
}

interface Counts {
  readonly total: number;
  /** How many match the search and the filter. */
  readonly found: number;
  /** Undefined: all that match. */
  readonly shown?: number;
}

/** Returns a function that shows how many items the list of a view has, and why it shows none or not all. */
export function createListSummary(view: string, { empty, noMatch, cut = '' }: Texts): (counts: Counts) => void {
  const counter = byId(`${view}-count`, HTMLElement);
  const note = byId(`${view}-none`, HTMLElement);
  return ({ total, found, shown = found }) => {
    setText(counter, found === total ? count(total) : `${count(found)} of ${count(total)}`);
    note.hidden = found > 0 && found === shown;
    if (total === 0) setText(note, empty);
    else setText(note, found === 0 ? noMatch : `${count(shown)} of ${count(found)} ${cut}`);
  };
}
