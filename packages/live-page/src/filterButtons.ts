import { addPart } from './address.ts';
import { byId, setText } from './dom.ts';
import { count } from './format.ts';

/** The buttons of a view that choose what its list shows. */
interface FilterButtons<Filter extends string> {
  readonly chosen: () => Filter;
  /** Shows how many items each filter shows. */
  counts(counts: Readonly<Record<Filter, number>>): void;
}

/** `view`: the id of the view, whose buttons have the filters as `data-show`. The first filter shows all. */
export function createFilterButtons<Filter extends string>(
  view: string,
  filters: readonly [Filter, ...Filter[]],
  onChange: () => void,
): FilterButtons<Filter> {
  const [all] = filters;
  let chosen: Filter = all;
  const buttons = filters.flatMap((filter) => {
    const button = byId(view, HTMLElement).querySelector(`[data-show=${filter}]`);
    return button === null ? [] : [{ filter, button }];
  });

  function choose(filter: Filter): void {
    if (filter === chosen) return;
    chosen = filter;
    for (const entry of buttons) entry.button.setAttribute('aria-pressed', String(entry.filter === filter));
    onChange();
  }

  const write = addPart(view, 'show', {
    initial: all,
    show: (value) => choose(filters.find((each) => each === value) ?? all),
  });
  for (const { filter, button } of buttons) {
    button.addEventListener('click', () => {
      write(filter);
      choose(filter);
    });
  }
  return {
    chosen: () => chosen,
    counts(counts) {
      for (const { filter, button } of buttons) setText(button.querySelector('b') ?? button, count(counts[filter]));
    },
  };
}
