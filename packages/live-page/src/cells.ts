import type { PageRef } from '../protocol/pageRef.ts';
import { pageAddress } from './address.ts';
import { create } from './dom.ts';

/** The cell with the name of what a row of a table shows. */
export function nameCell(...children: readonly Node[]): HTMLTableCellElement {
  return create('th', { class: 'name', attributes: { role: 'rowheader' } }, ...children);
}

export function cell(...children: readonly Node[]): HTMLTableCellElement {
  return create('td', { attributes: { role: 'cell' } }, ...children);
}

/** `label`: shown before the content on a narrow page, which has no heads of columns. */
export function labelledCell(label: string): HTMLTableCellElement {
  return create('td', { attributes: { role: 'cell', 'data-label': label } });
}

/** A link to the page of an object. */
export function linkTo(page: PageRef, text: string): HTMLAnchorElement {
  return create('a', { text, attributes: { href: pageAddress(page) } });
}
