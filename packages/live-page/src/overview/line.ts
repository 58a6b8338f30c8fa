import type { Health } from '../../protocol/health.ts';
import type { OverviewLine } from '../../protocol/overviewView.ts';
import { create, setText } from '../dom.ts';
import { instant } from '../format.ts';
import { nextStep } from '../nextStep.ts';
import { setTimedText } from '../times.ts';
import { linkTo } from '../views.ts';

/** A line of a list, with a key that is its own there. */
export interface Listed {
  readonly key: string;
  /** Undefined: the line has no sign. */
  readonly health: Health | undefined;
  readonly line: OverviewLine;
  /** The view that has all of its kind. */
  readonly view: string;
}

export function createLine({ line, view, health }: Listed) {
  const link = create('a', { text: line.object });
  const sign = create('span', { class: 'state', attributes: health === undefined ? {} : { 'data-health': health } });
  const words = create('span');
  const times = create('span', { class: 'soft' });
  const element = create('li', {}, sign, link, new Text(' '), words, new Text(' '), times);
  return {
    element,
    show({ line: { object, actor, words: text, since, next } }: Listed, now: number): void {
      setText(link, object);
      if (actor === undefined) link.setAttribute('href', `#${view}`);
      else linkTo(actor, link);
      setTimedText(words, text, now);
      const parts = [
        ...(since === undefined ? [] : [`since ${instant(since)}`]),
        ...(next === undefined ? [] : [nextStep({ next: next.words }, next.at, now)]),
      ];
      setTimedText(times, parts.length === 0 ? '' : `· ${parts.join(', ')}`, now);
    },
  };
}
