import type { ServiceView } from '../../protocol/protocol.ts';
import { healthOfService, isUp } from '../../protocol/serviceFilter.ts';
import { describeState, problemsOf } from '../../protocol/serviceWords.ts';
import { pageAddress } from '../address.ts';
import { cell, labelledCell, nameCell } from '../cells.ts';
import { create, setText } from '../dom.ts';
import { count, span } from '../format.ts';
import { setTimedText } from '../times.ts';

/** A row of the table of services. It updates only the changed parts. */
interface ServiceRow {
  readonly element: HTMLTableRowElement;
  show(service: ServiceView, now: number): void;
  /** Updates the countdown. */
  tick(now: number): void;
}

export function createServiceRow(first: ServiceView, now: number): ServiceRow {
  let service = first;
  const id = first.namespace === '' ? first.service : `${first.namespace}/${first.service}`;
  const href = pageAddress({ type: 'service', id });
  const link = create('a', { text: first.service, attributes: { href } });
  const prefix = first.namespace === '' ? '' : `${first.namespace}/`;
  const name = nameCell(create('span', { class: 'soft', text: prefix }), link);
  const state = create('span', { class: 'state' });
  const left = create('span', { class: 'left' });
  const bar = create('progress', { attributes: { max: '1', 'aria-hidden': 'true' } });
  const windowCell = cell(left, bar);
  windowCell.className = 'window';
  const numbers = ['Crash-looping', 'Deleted', 'Retried', 'Skipped', 'Failed'].map(number);
  const element = create('tr', { attributes: { role: 'row' } }, name, cell(state), windowCell, ...numbers);

  function tick(time: number): void {
    const { window } = service;
    setTimedText(state, inWords(service, time), time);
    const isOpen = window !== undefined && window.closesAt > time;
    setText(left, isOpen ? `${span(window.closesAt - time)} left` : '–');
    // Setting `hidden` would write the attribute even if the value is the same.
    if (bar.hidden === isOpen) bar.hidden = !isOpen;
    if (isOpen) bar.value = (window.closesAt - time) / Math.max(1, window.closesAt - window.openedAt);
  }

  function show(changed: ServiceView, time: number): void {
    service = changed;
    state.dataset['health'] = healthOfService(changed);
    state.title = changed.state ?? '';
    const { crashLooping, deleted, retried, skipped, failed } = changed;
    for (const [index, value] of [crashLooping, deleted, retried, skipped, failed].entries()) {
      const shown = numbers[index];
      if (shown === undefined) continue;
      setText(shown, count(value));
      shown.classList.toggle('zero', value === 0);
    }
    tick(time);
  }

  show(first, now);
  return {
    element,
    show,
    tick,
  };
}

/** The state, and the worst problem of a service that is ready. */
function inWords(service: ServiceView, now: number): string {
  const [problem] = isUp(service) ? problemsOf(service) : [];
  const state = describeState(service, now);
  return problem === undefined ? state : `${state}, ${problem}`;
}

function number(label: string): HTMLTableCellElement {
  const numberCell = labelledCell(label);
  numberCell.className = 'number';
  return numberCell;
}
