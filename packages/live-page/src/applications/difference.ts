import type { CorrectionView, DriftView } from '../../protocol/applicationView.ts';
import { create } from '../dom.ts';
import { instant } from '../format.ts';
import { timedText } from '../times.ts';

/** The path, the desired value with a minus, and the live value with a plus. */
export function difference({ path, type, desired, found }: DriftView): HTMLElement {
  const sides = [
    ...(desired === undefined ? [] : [side('del', '-', 'desired', desired)]),
    ...(found === undefined ? [] : [side('ins', '+', 'found', found)]),
  ];
  // The values of a Secret are not shown.
  const word = sides.length === 2 ? '' : ` (${type})`;
  return create('div', { class: 'difference' }, create('code', { text: `${path}${word}` }), ...sides);
}

function side(tag: 'del' | 'ins', sign: string, what: string, text: string): HTMLElement {
  const label = create('span', { class: 'unseen', text: `${what}: ` });
  return create(tag, { attributes: { 'data-sign': sign } }, label, create('span', { text }));
}

/** The newest corrections, collapsed behind a line with their number. */
export function corrections(views: readonly CorrectionView[], count: number, now: number): readonly Node[] {
  const [newest] = views;
  if (newest === undefined) return [];
  const times = `${count} ${count === 1 ? 'correction' : 'corrections'}, last at ${instant(newest.at)}`;
  const lines = views.map(({ at, drifts, conflictingManager }) =>
    create(
      'li',
      {},
      ...timedText(
        `${instant(at)}${conflictingManager === undefined ? '' : `, changed by ${conflictingManager}`}`,
        now,
      ),
      ...drifts.map(difference),
    ),
  );
  return [
    create(
      'details',
      {},
      create('summary', {}, ...timedText(times, now)),
      create('ol', { class: 'transitions' }, ...lines),
    ),
  ];
}
