import type { Moment } from '../../protocol/moment.ts';
import { kindOf, type MomentKind, momentKinds } from '../../protocol/momentKinds.ts';
import { addPart } from '../address.ts';
import { byId, create, createSvg } from '../dom.ts';
import { markOf } from './drawnLane.ts';
import { hasMark, kindNames } from './kinds.ts';

/** The kinds of events, each with its sign and a button that switches it off. The address has those that are on. */
interface Legend {
  readonly isOn: (kind: MomentKind) => boolean;
  /** Explains a dry run and differences of a replay only where there are some. `shown`: what is on. */
  explain(all: readonly Moment[], shown: readonly Moment[]): void;
}

/** In the address: every kind is off. */
const none = 'none';

export function createLegend(onChange: () => void): Legend {
  const place = byId('timeline-kinds', HTMLElement);
  let on: ReadonlySet<MomentKind> = new Set(momentKinds);
  const write = addPart('timeline', 'only', {
    initial: '',
    show: (value) => turnOn(kindsIn(value)),
  });

  function turnOn(next: ReadonlySet<MomentKind>): void {
    on = next;
    for (const [kind, button] of buttons) button.setAttribute('aria-pressed', String(on.has(kind)));
    all.setAttribute('aria-pressed', String(isEvery(on)));
    onChange();
  }

  function choose(next: ReadonlySet<MomentKind>): void {
    write(isEvery(next) ? '' : momentKinds.filter((kind) => next.has(kind)).join(' ') || none);
    turnOn(next);
  }

  const all = chip(new Text('all'));
  all.addEventListener('click', () => choose(new Set(momentKinds)));
  const buttons = new Map(momentKinds.map((kind) => [kind, chip(...signOf(kind), new Text(kindNames[kind]))]));
  for (const [kind, button] of buttons)
    button.addEventListener('click', () => choose(on.symmetricDifference(new Set([kind]))));
  const would = create('span', {}, mark(markOf('deletion', true)), new Text('dry run: would happen'));
  would.hidden = true;
  place.append(all, ...buttons.values(), would);
  return {
    isOn: (kind) => on.has(kind),
    explain(all, shown) {
      would.hidden = !shown.some((each) => each.isDryRun === true);
      buttons.get('deviation')?.toggleAttribute('hidden', !all.some(({ what }) => kindOf(what) === 'deviation'));
    },
  };
}

/** The kinds that a value of the address names; all of them, if it names none that there is. */
function kindsIn(value: string): ReadonlySet<MomentKind> {
  const names = value.split(' ');
  const named = momentKinds.filter((kind) => names.includes(kind));
  return new Set(named.length > 0 || value === none ? named : momentKinds);
}

function isEvery(kinds: ReadonlySet<MomentKind>): boolean {
  return kinds.size === momentKinds.length;
}

function chip(...content: readonly Node[]): HTMLButtonElement {
  return create('button', { class: 'chip', attributes: { type: 'button', 'aria-pressed': 'true' } }, ...content);
}

function signOf(kind: MomentKind): Node[] {
  if (hasMark(kind)) return [mark(markOf(kind, false))];
  return kind === 'other' ? [] : [create('i', { class: `key ${kind}` })];
}

function mark(path: SVGPathElement): SVGSVGElement {
  const attributes = { width: '14', height: '14', viewBox: '-7 -7 14 14', 'aria-hidden': 'true' };
  return createSvg('svg', { attributes }, path);
}
