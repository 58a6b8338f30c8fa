import type { Moment } from '../../protocol/moment.ts';
import type { ObjectSection, ObjectView } from '../../protocol/objectView.ts';
import { nameOfPage, objectTypes, type PageRef } from '../../protocol/pageRef.ts';
import { readAddress } from '../address.ts';
import { linkTo } from '../cells.ts';
import { byId, create, setHealth, setText } from '../dom.ts';
import { count } from '../format.ts';
import { createLine, timesOf } from '../overview/line.ts';
import { createPolledList } from '../polledList.ts';
import { createRows } from '../rows.ts';
import { setTimedText, timedText, timeElement } from '../times.ts';
import { createMachineSection } from './machineSection.ts';

interface ObjectPage {
  /** Requests the data again. */
  refresh(): void;
}

/**
 * The page of the object that the address names, `#pod=shop/web-0`: its state in words, the settings that apply, what
 * belongs to it, its events, and its machine. It is requested while it is visible.
 */
export function createObjectPage(now: () => number): ObjectPage {
  const state = byId('object-state', HTMLElement);
  const machine = createMachineSection();
  const facts = createRows({
    parent: byId('object-facts', HTMLUListElement),
    keyOf: ([name, text]: ObjectView['facts'][number]) => `${name} ${text}`,
    create: ([name, text]) => {
      const value = create('span', {}, ...timedText(text, now()));
      return { element: create('li', {}, create('b', { text: `${name}: ` }), value) };
    },
  });
  const sections = createRows({
    parent: byId('object-sections', HTMLElement),
    keyOf: ({ title }: ObjectSection) => title,
    create: (section) => createSection(section, now),
    update: (row, section) => row.show(section),
  });
  const moments = createRows({
    parent: byId('object-moments', HTMLOListElement),
    keyOf: ({ own, moment: { t, what, about, window, pod } }: { readonly own: PageRef; readonly moment: Moment }) =>
      `${own.type} ${own.id} ${t} ${what} ${about} ${window} ${pod}`,
    create: ({ own, moment }) => ({ element: momentLine(moment, own) }),
  });
  let view: ObjectView | undefined;

  function show(): void {
    const page = pageInAddress();
    if (page === undefined) return;
    const name = nameOfPage(page);
    setText(byId('object-title', HTMLElement), name);
    document.title = `${name} · weeder`;
    const shown = view !== undefined && isSame(view, page) ? view : undefined;
    setHealth(state, shown?.health);
    setTimedText(state, shown?.words ?? '', now());
    setTimedText(byId('object-times', HTMLElement), shown === undefined ? '' : timesOf(shown, now()), now());
    facts.place(shown?.facts ?? []);
    sections.place(shown?.sections ?? []);
    moments.place((shown?.moments ?? []).map((moment) => ({ own: page, moment })).reverse());
    byId('object-none', HTMLElement).hidden = shown?.moments.length !== 0;
    const about = page.type === 'pod' ? page.id : page.id.replace(/^\w+ /, '');
    byId('object-timeline', HTMLAnchorElement).href = `#timeline?${new URLSearchParams({ search: about })}`;
    machine.show(shown?.actor);
  }

  const refresh = createPolledList<ObjectView>({
    path: () => `/object?${new URLSearchParams({ ...pageInAddress() })}`,
    take(next) {
      view = next;
    },
    show,
  });
  return {
    refresh() {
      show();
      refresh();
    },
  };
}

/** Undefined: another view is shown. */
function pageInAddress(): PageRef | undefined {
  const { view, id = '' } = readAddress(location.hash);
  const type = objectTypes.find((each) => each === view);
  return type && { type, id };
}

function createSection({ title }: ObjectSection, now: () => number) {
  const heading = create('h3', { text: title });
  const list = create('ul', { class: 'lines', attributes: { 'aria-label': title } });
  const none = create('p', { class: 'soft' });
  const rows = createRows({
    parent: list,
    keyOf: ({ key }) => key,
    create: createLine,
    update: (row, listed) => row.show(listed, now()),
  });
  return {
    element: create('div', {}, heading, list, none),
    show({ total, lines, none: words }: ObjectSection): void {
      setText(heading, total === 0 ? title : `${title} ${count(total)}`);
      rows.place(
        lines.map((line) => ({ key: `${line.object} ${line.since}`, health: line.health, line, href: undefined })),
      );
      const more = total - lines.length;
      setText(none, total === 0 ? words : `${count(more)} more are not shown.`);
      none.hidden = total > 0 && more === 0;
      list.hidden = total === 0;
    },
  };
}

/** Without the name of the object whose page it is on. */
function momentLine({ t, what, words, about, page, pod, detail }: Moment, own: PageRef): HTMLLIElement {
  const event = create('span', { class: 'event', text: words, attributes: { title: what } });
  const others = [
    ...(page === undefined || isSame(page, own) ? [] : [linkTo(page, about)]),
    ...(pod === undefined || isSame({ type: 'pod', id: pod }, own)
      ? []
      : [linkTo({ type: 'pod', id: pod }, `Pod ${pod}`)]),
  ];
  const separator = others.length > 0 && detail !== '' ? ': ' : '';
  const rest = create('span', { class: 'soft' }, ...others, new Text(separator), ...timedText(detail, t));
  return create('li', {}, timeElement(t), event, rest);
}

function isSame(a: PageRef, b: PageRef): boolean {
  return a.type === b.type && a.id === b.id;
}
