import type { Moment } from '../../protocol/moment.ts';
import { linkTo } from '../cells.ts';
import { byId, create } from '../dom.ts';
import { timedText, timeElement } from '../times.ts';

interface EventTable {
  /** `moments`: oldest first. `cursor`: in a replay, the time up to which it was played. */
  show(moments: readonly Moment[], chosen: Moment | undefined, cursor: number | undefined): void;
  /** Scrolls to the row of a shown event; `isFocused`: the page scrolls to it too, and it gets the focus. */
  open(moment: Moment, isFocused: boolean): void;
}

/** The maximum number of rows. The chosen event, or that of the time of a replay, is always among them. */
const maxRows = 200;

/** The events as a table, newest first. */
export function createEventTable(): EventTable {
  const body = byId('moments', HTMLTableSectionElement);
  const rows = new WeakMap<Moment, HTMLTableRowElement>();

  /** Updates the table only if its rows change, to preserve the position of a screen reader. */
  function show(moments: readonly Moment[], chosen: Moment | undefined, cursor: number | undefined): void {
    const shown = part(moments, chosen, cursor).toReversed();
    const wanted = shown.map((moment) => {
      const row = rows.get(moment) ?? rowOf(moment);
      rows.set(moment, row);
      row.classList.toggle('soft', cursor !== undefined && moment.t > cursor);
      if (moment === chosen) row.setAttribute('aria-current', 'true');
      else row.removeAttribute('aria-current');
      return row;
    });
    const isSame = wanted.length === body.rows.length && wanted.every((row, index) => body.rows[index] === row);
    if (!isSame) body.replaceChildren(...wanted);
  }

  return {
    show,
    open(moment, isFocused) {
      const [row, list] = [rows.get(moment), body.closest('.scroll')];
      if (row === undefined || list === null) return;
      const [place, room] = [row.getBoundingClientRect(), list.getBoundingClientRect()];
      list.scrollTop += place.top - room.top - (room.height - place.height) / 2;
      if (!isFocused) return;
      row.focus({ preventScroll: true });
      row.scrollIntoView({ block: 'nearest' });
    },
  };
}

/** The newest moments, or those around the chosen one, or around the cursor. */
function part(moments: readonly Moment[], chosen: Moment | undefined, cursor: number | undefined): readonly Moment[] {
  const at = moments.findLastIndex((each) => (chosen === undefined ? each.t <= (cursor ?? each.t) : each === chosen));
  const end = Math.min(moments.length, Math.max(maxRows, at + 1 + maxRows / 2));
  return moments.slice(Math.max(0, end - maxRows), end);
}

function rowOf({ t, what, words, about, page, pod, detail }: Moment): HTMLTableRowElement {
  const row = create('tr', { attributes: { tabindex: '-1' } }, create('td', {}, timeElement(t)));
  const name = pod === undefined ? [] : [linkTo({ type: 'pod', id: pod }, pod)];
  const object = page === undefined ? timedText(about, t) : [linkTo(page, about)];
  const cells = [timedText(words, t), object, name, timedText(detail, t)];
  for (const nodes of cells) row.append(create('td', {}, ...nodes));
  row.dataset['what'] = what;
  row.cells[1]?.setAttribute('title', what);
  return row;
}
