import { type Drawing, type DrawnState, statesIn } from './drawing.ts';
import { joinsOf } from './joins.ts';
import type { Line, Picture, PictureArrow, PictureBox } from './picture.ts';
import { boxOf, labelOf, place } from './stateBox.ts';
import { isWithin, type Way } from './ways.ts';

interface Parts {
  readonly drawing: Drawing;
  readonly ways: readonly Way[];
  /** The states whose content is in pictures of their own. */
  readonly closed: readonly DrawnState[];
}

/** The picture of one state, or of the whole machine. States outside of it are places that arrows come from or lead to. */
export function pictureOf(frame: DrawnState, { drawing, ways, closed }: Parts): Picture {
  const { root, transitions } = drawing;
  const states = statesIn(root);
  const shown = (id: string) => closed.find((state) => isWithin(id, state))?.id ?? id;
  const single = merged(
    ways.flatMap((way) => (way.isArrow ? arrowOf(way) : [])),
    sameText,
  );
  const joins = joinsOf(single);
  const replaced = new Set(joins.flatMap((join) => join.replaced));
  const arrows = [...single.filter((arrow) => !replaced.has(arrow)), ...joins.flatMap((join) => join.arrows)];
  const spawns = statesIn(frame).flatMap((state) => state.spawns.map((actor) => spawnOf(shown(state.id), actor)));
  const actors = [...new Set(statesIn(frame).flatMap((state) => state.spawns))].map(actorBox);
  const box = boxOf(frame, { transitions, ways, isClosed: (id) => closed.some((state) => state.id === id), placesIn });
  return {
    title: `${titleOf(frame, root)}: ${frame.description}`,
    boxes: [...outside('from'), box, ...outside('to'), ...joinsIn(undefined), ...actors],
    arrows: merged([...arrows, ...spawns], samePair),
  };

  function arrowOf(way: Way): PictureArrow[] {
    if (closed.some((state) => isWithin(way.from, state) && isWithin(way.to, state))) return [];
    const [from, to] = [endOf(way, 'from'), endOf(way, 'to')];
    if (from === undefined || to === undefined) return [];
    const isWhole = shown(way.from) === way.from && shown(way.to) === way.to;
    const lines = isWhole ? labelOf(way.transitions) : eventsOf(way);
    return [{ from, to, ways: [`${way.from}:${way.to}`], kind: 'plain', lines }];
  }

  /** The box at one end of an arrow; undefined if the arrow is in another picture. */
  function endOf({ from, to }: Way, end: 'from' | 'to'): string | undefined {
    const [id, other] = end === 'from' ? [from, to] : [to, from];
    if (!isWithin(id, frame)) return isInside(other) ? `${end} ${id}` : undefined;
    if (states.some((state) => state.id === id && isWithin(other, state))) return `any ${id}`;
    return isInside(id) ? shown(id) : undefined;
  }

  function isInside(id: string): boolean {
    return id !== frame.id && isWithin(id, frame);
  }

  /** The places for the states outside of the frame. */
  function outside(end: 'from' | 'to'): PictureBox[] {
    const ids = new Set(arrows.map((arrow) => arrow[end]));
    return states
      .filter(({ id }) => ids.has(`${end} ${id}`))
      .map(({ id }) => place(`${end} ${id}`, id === root.id ? 'in any state' : id));
  }

  /** The place where the arrows from a state to states in it begin, and joins. */
  function placesIn(id: string): PictureBox[] {
    const hasInner = arrows.some(({ from }) => from === `any ${id}`);
    return [...(hasInner ? [place(`any ${id}`, 'in any state')] : []), ...joinsIn(id)];
  }

  /** The joins beside the states to which they lead. */
  function joinsIn(id: string | undefined): PictureBox[] {
    const parentOf = (of: string) => statesIn(frame).find(({ children }) => children.some((child) => child.id === of));
    return joins
      .filter(({ replaced: [first] }) => first !== undefined && parentOf(first.to)?.id === id)
      .map((join) => ({ id: join.id, kind: 'join', lines: [], children: [] }));
  }
}

function titleOf({ id, name }: DrawnState, root: DrawnState): string {
  return id === root.id ? name : `${root.name}, ${name}`;
}

function spawnOf(from: string, actor: string): PictureArrow {
  const lines: Line[] = [{ parts: [{ text: 'spawns', kind: 'action' }] }];
  return { from, to: `actor ${actor}`, ways: [], kind: 'spawn', lines };
}

function actorBox(actor: string): PictureBox {
  const lines: Line[] = [
    { parts: [{ text: actor, kind: 'name' }] },
    { parts: [{ text: 'an actor of its own', kind: 'description' }] },
  ];
  return { id: `actor ${actor}`, kind: 'actor', lines, children: [] };
}

function eventsOf({ transitions }: Way): Line[] {
  return [...new Set(transitions.map(({ when }) => when))].map((text) => ({ parts: [{ text, kind: 'event' }] }));
}

function samePair({ from, to }: PictureArrow): string {
  return `${from} ${to}`;
}

function sameText(arrow: PictureArrow): string {
  return `${samePair(arrow)} ${JSON.stringify(arrow.lines)}`;
}

/** One arrow for each key, with each line once. */
function merged(arrows: readonly PictureArrow[], keyOf: (arrow: PictureArrow) => string): PictureArrow[] {
  return [...Map.groupBy(arrows, keyOf).values()].flatMap((group) => {
    const [first, ...others] = group;
    if (first === undefined || others.length === 0) return group;
    const lines = new Map(group.flatMap((arrow) => arrow.lines).map((line) => [JSON.stringify(line), line]));
    return { ...first, ways: group.flatMap(({ ways: some }) => some), lines: [...lines.values()] };
  });
}
