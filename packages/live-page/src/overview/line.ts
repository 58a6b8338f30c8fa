import type { Health } from '../../protocol/health.ts';
import type { ObjectLine } from '../../protocol/objectView.ts';
import { pageAddress } from '../address.ts';
import { create, setHealth, setText } from '../dom.ts';
import { instant } from '../format.ts';
import { nextStep } from '../nextStep.ts';
import { setTimedText } from '../times.ts';

/** A line of a list, with a key that is its own there. */
export interface Listed {
  readonly key: string;
  /** Undefined: the line has no sign. */
  readonly health: Health | undefined;
  readonly line: ObjectLine;
  /** Where it leads if it has no page. */
  readonly href: string | undefined;
}

export function createLine({ line, href }: Listed) {
  const link = create('a', { text: line.object });
  const sign = create('span', { class: 'state' });
  const words = create('span');
  const times = create('span', { class: 'soft' });
  const element = create('li', {}, sign, link, new Text(' '), words, new Text(' '), times);
  return {
    element,
    show({ line: shown, health }: Listed, now: number): void {
      setHealth(sign, health);
      const { object, page, words: text } = shown;
      setText(link, object);
      const address = page === undefined ? href : pageAddress(page);
      if (address === undefined) link.removeAttribute('href');
      else link.setAttribute('href', address);
      setTimedText(words, text, now);
      setTimedText(times, timesOf(shown, now), now);
    },
  };
}

/** `· since 14:03:07, closes in 4m 29s`, for `setTimedText`. */
export function timesOf({ since, next }: Pick<ObjectLine, 'since' | 'next'>, now: number): string {
  const parts = [
    ...(since === undefined ? [] : [`since ${instant(since)}`]),
    ...(next === undefined ? [] : [nextStep({ next: next.words }, next.at, now)]),
  ];
  return parts.length === 0 ? '' : `· ${parts.join(', ')}`;
}
