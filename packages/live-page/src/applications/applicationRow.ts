import type { ApplicationView, ResourceView } from '../../protocol/applicationView.ts';
import { observerDisplay } from '../../protocol/states.ts';
import { machineAddress, pageAddress } from '../address.ts';
import { cell, labelledCell, nameCell } from '../cells.ts';
import { create, setText } from '../dom.ts';
import { nextStep } from '../nextStep.ts';
import { dayAndTime, setTimedText } from '../times.ts';
import { corrections, difference } from './difference.ts';

/** A row of the table of applications: an application, or one of its resources. */
interface ApplicationRow {
  readonly element: HTMLTableRowElement;
  /** Updates only the changed parts: an open list of corrections stays open, and the focus stays. */
  show(row: Shown, now: number): void;
}

/** The content of a row. */
interface Shown {
  readonly key: string;
  readonly isApplication: boolean;
  readonly name: string;
  readonly actor: string | undefined;
  readonly state: string;
  readonly until: number | undefined;
  readonly reason: string;
  readonly resource: ResourceView | undefined;
}

export function rowsOf(application: ApplicationView): readonly Shown[] {
  const { id, actor, state, until, isDetectOnly, errors, total, resources } = application;
  const more = total - resources.length;
  const notes = [
    ...(isDetectOnly ? ['Mode detect: drift is only reported.'] : []),
    ...errors,
    ...(more > 0 ? [`${more} more resources are not shown.`] : []),
  ];
  const head = { key: id, isApplication: true, name: id, actor, state, until, reason: notes.join(' ') };
  return [
    { ...head, resource: undefined },
    ...resources.map((resource) => ({
      key: `${id} ${resource.id}`,
      isApplication: false,
      name: resource.id,
      actor: resource.actor,
      state: resource.state,
      until: resource.until,
      reason: resource.reason,
      resource,
    })),
  ];
}

export function createApplicationRow({ isApplication, name }: Shown): ApplicationRow {
  const link = create('a', { text: name });
  const state = create('span', { class: 'state' });
  const why = create('div');
  const differences = create('div');
  const history = labelledCell('Corrections:');
  const element = create(
    'tr',
    { class: isApplication ? 'application' : 'resource', attributes: { role: 'row' } },
    nameCell(link),
    cell(state),
    cell(why, differences),
    history,
  );
  let [drifted, corrected] = ['', ''];

  return {
    element,
    show(row, now) {
      const address = row.isApplication
        ? pageAddress({ type: 'application', id: name })
        : row.actor && machineAddress(row.actor);
      if (address === undefined) link.removeAttribute('href');
      else link.setAttribute('href', address);
      const { words, health } = observerDisplay(row.state);
      setText(state, words);
      state.title = row.state;
      state.setAttribute('data-state', row.state);
      state.dataset['health'] = health;
      setTimedText(why, whyOf(row, now), now);
      const { resource } = row;
      const drifts = JSON.stringify(resource?.drifts);
      if (drifts !== drifted) differences.replaceChildren(...(resource?.drifts.map(difference) ?? []));
      drifted = drifts;
      // The text of a time changes at midnight.
      const correctionsText = JSON.stringify(resource?.corrections.map((each) => [each, dayAndTime(each.at, now)]));
      if (correctionsText !== corrected && resource !== undefined) keepOpen(history, resource, now);
      corrected = correctionsText;
    },
  };
}

function keepOpen(place: Element, { corrections: views, corrected }: ResourceView, now: number): void {
  const isOpen = place.querySelector('details')?.open === true;
  const hadFocus = place.contains(document.activeElement);
  place.replaceChildren(...corrections(views, corrected, now));
  const details = place.querySelector('details');
  if (details === null) return;
  details.open = isOpen;
  if (hadFocus) details.querySelector('summary')?.focus();
}

function whyOf({ state, reason, until, resource }: Shown, now: number): string {
  const { conflictingManager, moreDrifts = 0, observed } = resource ?? {};
  const parts = [
    reason,
    ...(conflictingManager === undefined ? [] : [`changed by ${conflictingManager}`]),
    ...(until === undefined ? [] : [nextStep(observerDisplay(state), until, now)]),
    ...(moreDrifts > 0 ? [`${moreDrifts} more differences`] : []),
    ...(resource?.state === 'inSync' && observed !== undefined
      ? [`${observed} ${observed === 1 ? 'field' : 'fields'} observed`]
      : []),
  ];
  const [first = '', ...rest] = parts.filter((part) => part !== '');
  return rest.length === 0 ? first : [first.replace(/\.$/, ''), ...rest].join(', ');
}
