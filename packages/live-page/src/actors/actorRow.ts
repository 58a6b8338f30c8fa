import type { ActorView } from '../../protocol/actorView.ts';
import { create, setText } from '../dom.ts';
import { innermost, span, statePath } from '../format.ts';

/** A row of the list of actors. It updates only the changed parts, to preserve the position of a screen reader. */
export interface ActorRow {
  readonly element: HTMLElement;
  show(shown: RowContent): void;
}

interface RowContent {
  readonly index: number;
  readonly total: number;
  /** Undefined while it is being fetched. */
  readonly actor: ActorView | undefined;
  readonly isActive: boolean;
  readonly now: number;
}

/** Pixels, as in page.css. */
export const rowHeight = 36;

export function createActorRow(): ActorRow {
  // The texts of a row are its name for screen readers: with the whole id, and without the age.
  const hidden = { 'aria-hidden': 'true' };
  const own = create('span', { attributes: hidden });
  const whole = create('span', { class: 'unseen' });
  const [name, machine, state, age] = [
    create('span', { class: 'id' }, own, whole),
    create('span', { class: 'soft' }),
    create('span', { class: 'at' }),
    create('span', { class: 'soft number', attributes: hidden }),
  ];
  const element = create('div', { class: 'actor', attributes: { role: 'option' } }, name, machine, state, age);

  function set(attribute: string, value: string): void {
    if (element.getAttribute(attribute) !== value) element.setAttribute(attribute, value);
  }

  return {
    element,
    show({ index, total, actor, isActive, now }) {
      set('id', `actor-${index}`);
      set('aria-selected', String(isActive));
      set('aria-setsize', String(total));
      set('aria-posinset', String(index + 1));
      element.dataset['index'] = String(index);
      element.style.top = `${index * rowHeight}px`;
      const path = actor === undefined ? '' : innermost(actor.states).map(statePath).join(', ');
      const { id = 'loading', parent } = actor ?? {};
      const isChild = parent !== undefined && id.startsWith(parent);
      setText(own, isChild ? id.slice(parent.length).replace(/^ ?\//, '↳ ') : id);
      setText(whole, id);
      name.classList.toggle('child', isChild);
      name.title = id;
      setText(machine, actor?.machine ?? '');
      setText(state, path);
      setText(age, actor === undefined || actor.since === 0 ? '' : span(now - actor.since));
    },
  };
}
