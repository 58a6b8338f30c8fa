import { worstFirst } from '../../protocol/worstFirst.ts';
import { count } from '../format.ts';
import { type Lane, laneRank, type Range } from './spans.ts';

/** A row of the chart: the heading of a group, or a lane. */
export type ChartRow = { readonly heading: string } | { readonly lane: Lane };

interface Ranked {
  readonly lane: Lane;
  readonly rank: number;
}

/** From this number on, lanes are in groups. */
const many = 20;
/** Groups of fewer lanes would only take the place of lanes. */
const worthAHeading = 3;
/** The headings by rank. */
const headings = ['Outages', 'Problems and open windows', 'Other events'];

/** The lanes of what happened in the range: the worst first, and by namespace if there are many. */
export function rowsOf(lanes: readonly Lane[], range: Range): ChartRow[] {
  const ranked = lanes
    .flatMap((lane) => {
      const rank = laneRank(lane, range);
      return rank === undefined ? [] : [{ lane, rank }];
    })
    .sort(inOrder);
  if (ranked.length < many) return ranked.map(({ lane }) => ({ lane }));
  return headings.flatMap((heading, index) => {
    const members = ranked.filter(({ rank }) => rank === index).map(({ lane }) => lane);
    const byNamespace = Map.groupBy(members, ({ about }) => namespaceOf(about));
    if (members.length < Math.max(many, byNamespace.size * worthAHeading)) return group(heading, members);
    return [...byNamespace].flatMap(([namespace, lanes]) => group(`${heading} in ${namespace}`, lanes));
  });
}

function group(heading: string, lanes: readonly Lane[]): ChartRow[] {
  if (lanes.length === 0) return [];
  return [{ heading: `${heading} (${count(lanes.length)})` }, ...lanes.map((lane) => ({ lane }))];
}

const inOrder = worstFirst<Ranked>(
  ({ rank }) => rank,
  ({ lane }) => `${namespaceOf(lane.about)} ${lane.about}`,
);

/** The namespace in the name of an object, which ends with `namespace/name`. */
function namespaceOf(about: string): string {
  return about.split('/').at(-2)?.split(/\s/).at(-1) ?? '';
}
