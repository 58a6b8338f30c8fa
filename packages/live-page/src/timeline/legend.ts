import { byId, create, createSvg } from '../dom.ts';
import { markOf } from './drawnLane.ts';
import { hasMark, type Kind, kinds } from './kinds.ts';

/** The kinds of events, each with its sign and a button that switches it off. */
interface Legend {
  readonly isOn: (kind: Kind) => boolean;
  /** Whether there is something that only would happen. */
  explainDryRun(isDryRun: boolean): void;
}

export function createLegend(onChange: () => void): Legend {
  const place = byId('timeline-kinds', HTMLElement);
  const off = new Set<Kind>();
  for (const [kind, name] of kinds) {
    const attributes = { type: 'button', 'aria-pressed': 'true', 'data-kind': kind };
    const button = create('button', { class: 'chip', attributes }, ...signOf(kind), new Text(name));
    button.addEventListener('click', () => {
      if (!off.delete(kind)) off.add(kind);
      button.setAttribute('aria-pressed', String(!off.has(kind)));
      onChange();
    });
    place.append(button);
  }
  const would = create('span', {}, mark(markOf('deletion', true)), new Text('dry run: would happen'));
  would.hidden = true;
  place.append(would);
  return {
    isOn: (kind) => !off.has(kind),
    explainDryRun(isDryRun) {
      would.hidden = !isDryRun;
    },
  };
}

function signOf(kind: Kind): Node[] {
  if (hasMark(kind)) return [mark(markOf(kind, false))];
  return kind === 'other' ? [] : [create('i', { class: `key ${kind}` })];
}

function mark(path: SVGPathElement): SVGSVGElement {
  const attributes = { width: '14', height: '14', viewBox: '-7 -7 14 14', 'aria-hidden': 'true' };
  return createSvg('svg', { attributes }, path);
}
