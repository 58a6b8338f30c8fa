import type { Moment } from '../../protocol/moment.ts';
import { createOngoing } from '../../protocol/ongoing.ts';
import type { ReplayClock, ServiceView } from '../../protocol/protocol.ts';
import { worstFirst } from '../../protocol/worstFirst.ts';
import { byId, create, onceAFrame } from '../dom.ts';
import { count, instant } from '../format.ts';
import { setTimedText, timedText, timeElement } from '../times.ts';
import { chart } from './chart.ts';
import { createShownRange } from './range.ts';
import { type Lane, laneRank, lanesOf } from './spans.ts';

interface Timeline {
  all(moments: readonly Moment[]): void;
  one(moment: Moment): void;
  follow(clock: ReplayClock): void;
  /** Draws the timeline for the current time. */
  draw(): void;
}

const hour = 3_600_000;
/** The maximum number of lanes and rows. The search finds the others. */
const maxLanes = 60;
const maxRows = 200;
/** Expired moments are removed at this interval, because the removal reads all moments. */
const tidyEvery = 60_000;

const inOrder = worstFirst<Lane & { readonly rank: number }>(
  ({ rank }) => rank,
  ({ about }) => about,
);

/** `notReady`: the services that are not ready now. */
export function createTimeline(now: () => number, notReady: () => Iterable<ServiceView>): Timeline {
  const place = byId('chart', HTMLElement);
  const search = byId('timeline-search', HTMLInputElement);
  const range = createShownRange();
  let moments: Moment[] = [];
  let tidiedAt = 0;
  let replay: ReplayClock | undefined;
  const end = () => replay?.endsAt ?? now();
  const draw = onceAFrame(() => {
    const query = search.value.trim().toLowerCase();
    const shown = range.get(end());
    const lanes = lanesOf(moments, notReady()).flatMap((lane) => {
      const rank = lane.about.toLowerCase().includes(query) ? laneRank(lane, shown) : undefined;
      return rank === undefined ? [] : { ...lane, rank };
    });
    const drawn = lanes.sort(inOrder).slice(0, maxLanes);
    const width = Math.max(200, place.clientWidth);
    place.replaceChildren(chart({ lanes: drawn, range: shown, now: now(), width, hasCursor: replay !== undefined }));
    place.hidden = drawn.length === 0;
    const inView = moments.filter(
      ({ t, about }) => t >= shown.from && t <= shown.to && about.toLowerCase().includes(query),
    );
    list(inView.slice(-maxRows).reverse());
    byId('timeline-none', HTMLElement).hidden = inView.length > 0;
    const many = lanes.length > maxLanes ? `${maxLanes} of ${count(lanes.length)} lanes, ` : '';
    setTimedText(byId('timeline-count', HTMLElement), `${many}${instant(shown.from)} to ${instant(shown.to)}`, now());
  });

  function act(key: string): boolean {
    if (key === '+') range.zoom(0.5, end());
    else if (key === '-') range.zoom(2, end());
    else if (key === 'ArrowLeft') range.move(-0.25, end());
    else if (key === 'ArrowRight') range.move(0.25, end());
    else return false;
    draw();
    return true;
  }

  const buttons = { in: '+', out: '-', earlier: 'ArrowLeft', later: 'ArrowRight' };
  for (const [name, key] of Object.entries(buttons)) {
    byId(`timeline-${name}`, HTMLButtonElement).addEventListener('click', () => act(key));
  }
  place.addEventListener('keydown', (event) => {
    if (act(event.key)) event.preventDefault();
  });
  search.addEventListener('input', draw);
  new ResizeObserver(draw).observe(place);
  return {
    all(newMoments) {
      moments = [...newMoments];
    },
    one(moment) {
      moments.push(moment);
      if (replay !== undefined || moments.length < 2000) return;
      if (now() - tidiedAt < tidyEvery) return;
      tidiedAt = now();
      moments = forgotten(moments, tidiedAt - hour);
    },
    follow(clock) {
      replay = clock;
      range.limit(clock.endsAt - clock.startsAt);
    },
    draw,
  };
}

/** Removes older moments, except those that began an outage or a window that has not ended. */
function forgotten(moments: readonly Moment[], oldest: number): Moment[] {
  const underway = createOngoing<Moment>();
  for (const moment of moments) if (moment.t < oldest) underway.note(moment);
  return [...underway.all(), ...moments.filter(({ t }) => t >= oldest)];
}

const rows = new WeakMap<Moment, HTMLTableRowElement>();

/** Updates the table only if its rows change, to preserve the position of a screen reader. */
function list(moments: readonly Moment[]): void {
  const body = byId('moments', HTMLTableSectionElement);
  const shown = moments.map((moment) => {
    const row = rows.get(moment) ?? rowOf(moment);
    rows.set(moment, row);
    return row;
  });
  const isSame = shown.length === body.rows.length && shown.every((row, index) => body.rows[index] === row);
  if (!isSame) body.replaceChildren(...shown);
}

function rowOf({ t, what, words, about, pod, detail }: Moment): HTMLTableRowElement {
  const row = create('tr', {}, create('td', {}, timeElement(t)));
  for (const text of [words, about, pod ?? '–', detail]) row.append(create('td', {}, ...timedText(text, t)));
  row.dataset['what'] = what;
  row.cells[1]?.setAttribute('title', what);
  return row;
}
