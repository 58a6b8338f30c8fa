import type { PictureArrow } from './picture.ts';

/** A bar at which lines from several boxes join. */
interface Join {
  readonly id: string;
  /** The lines to the bar, and the arrows from it. */
  readonly arrows: readonly PictureArrow[];
  /** The arrows without the bar. */
  readonly replaced: readonly PictureArrow[];
}

/** For each target the arrows to it; they come from the same boxes. */
type Bundle = readonly (readonly PictureArrow[])[];

/**
 * Joins the arrows that at least three boxes have in common, or two boxes with two targets: each of these boxes has one
 * line to a bar, from which one arrow leads to each target. So five boxes with the same two arrows need seven lines.
 */
export function joinsOf(arrows: readonly PictureArrow[]): Join[] {
  const same = [...Map.groupBy(arrows, ({ to, lines }) => `${to} ${JSON.stringify(lines)}`).values()];
  const bundles = [...Map.groupBy(same, (each) => JSON.stringify(each.map(({ from }) => from))).values()];
  return bundles
    .filter((bundle) => (bundle[0]?.length ?? 0) >= (bundle.length > 1 ? 2 : 3))
    .map((bundle, index) => joinOf(bundle, `join ${index}`));
}

function joinOf(bundle: Bundle, id: string): Join {
  const replaced = bundle.flat();
  const waysOf = (some: readonly PictureArrow[]) => some.flatMap(({ ways }) => ways);
  const tails = [...Map.groupBy(replaced, ({ from }) => from)].map(([from, some]) => {
    return { from, to: id, ways: waysOf(some), kind: 'tail', lines: [] } as const;
  });
  const heads = bundle.flatMap((some) => some.slice(0, 1).map((arrow) => ({ ...arrow, from: id, ways: waysOf(some) })));
  return { id, arrows: [...tails, ...heads], replaced };
}
