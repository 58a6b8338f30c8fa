import { type ServiceFilter, serviceFilters } from '../protocol/protocol.ts';
import { setText } from './dom.ts';
import { count } from './format.ts';

/** The buttons of a view that choose which services it shows. */
interface FilterButtons {
  readonly chosen: () => ServiceFilter;
  /** Shows how many services each filter shows. */
  counts(counts: Readonly<Record<ServiceFilter, number>>): void;
}

export function createFilterButtons(view: Element, onChange: () => void): FilterButtons {
  let chosen: ServiceFilter = 'all';
  const buttons = serviceFilters.flatMap((filter) => {
    const button = view.querySelector(`[data-show=${filter}]`);
    return button === null ? [] : [{ filter, button }];
  });
  for (const { filter, button } of buttons) {
    button.addEventListener('click', () => {
      chosen = filter;
      for (const entry of buttons) entry.button.setAttribute('aria-pressed', String(entry.filter === filter));
      onChange();
    });
  }
  return {
    chosen: () => chosen,
    counts(counts) {
      for (const { filter, button } of buttons) setText(button.querySelector('b') ?? button, count(counts[filter]));
    },
  };
}
