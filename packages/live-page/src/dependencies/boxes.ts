import type { Health } from '../../protocol/health.ts';
import { healthOfService, isUp } from '../../protocol/serviceFilter.ts';
import { describeState, problemsOf } from '../../protocol/serviceWords.ts';
import { pageAddress } from '../address.ts';
import { create, setText } from '../dom.ts';
import { count, span } from '../format.ts';
import { setTimedText } from '../times.ts';
import type { ShownService } from './overlay.ts';

/** A box of the picture. It updates only the changed parts. `y`: the distance of its top from that of the picture. */
export interface Box<View> {
  readonly element: HTMLLIElement;
  readonly show: (view: View & { readonly y: number }, now: number) => void;
}

interface ServiceBox extends Box<ShownService> {
  /** Updates the countdown. */
  readonly tick: (now: number) => void;
}

/** How the picture shows a service and the lines to its dependants. */
export function healthOf({ view }: ShownService): Health {
  return view !== undefined && (view.exists || isUp(view)) ? healthOfService(view) : 'unknown';
}

export function createServiceBox(first: ShownService): ServiceBox {
  let service = first;
  const { namespace, service: name } = first;
  const id = namespace === '' ? name : `${namespace}/${name}`;
  const isSuggested = first.view === undefined;
  const href = pageAddress({ type: 'service', id });
  const link = isSuggested ? create('span', { class: 'name' }) : create('a', { class: 'name', attributes: { href } });
  link.title = id;
  link.append(create('span', { class: 'soft', text: `${namespace}/` }), name);
  const detail = create('span', { class: 'detail' });
  const element = create('li', { class: `dependency-box service${isSuggested ? ' suggested' : ''}` }, link, detail);
  const tick = (now: number) => setTimedText(detail, describeService(service, now), now);
  return {
    element,
    tick,
    show({ y, ...changed }, now) {
      service = changed;
      element.style.top = `${y}px`;
      element.dataset['health'] = healthOf(changed);
      tick(now);
    },
  };
}

function describeService({ view, total, suggested }: ShownService, now: number): string {
  const own = total - suggested.size;
  const dependants = own === 1 ? '1 dependant' : `${count(own)} dependants`;
  const added = suggested.size === 0 ? [] : [`${count(suggested.size)} suggested`];
  if (view === undefined) return added.join();
  const { namespace, window, deleted, retried } = view;
  const state = describeState(view, now);
  if (namespace === '') return state;
  const left = window === undefined ? [] : [`${span(window.closesAt - now)} left`];
  const parts = [state, ...left, ...problemsOf(view)];
  if (window !== undefined && deleted > 0) parts.push(`${count(deleted)} deleted`);
  if (window !== undefined && retried > 0) parts.push(`${count(retried)} retried`);
  return [...parts, dependants, ...added].join(', ');
}

/** In place of the dependants of a service that are not shown. `onChosen`: shows them. */
export function createNoteBox(onChosen: () => void): Box<ShownService> {
  const button = chooser('', onChosen);
  const element = create('li', { class: 'dependency-box note' }, button);
  return {
    element,
    show({ y, namespace, service, dependants, total }) {
      element.style.top = `${y}px`;
      setText(button, `${count(total - dependants.length)} more dependants of ${namespace}/${service}`);
    },
  };
}

/** A name that does something else than to open a page. */
export function chooser(text: string, onChosen: () => void): HTMLButtonElement {
  const button = create('button', { class: 'name', text, attributes: { type: 'button' } });
  button.addEventListener('click', onChosen);
  return button;
}
