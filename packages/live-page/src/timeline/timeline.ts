import type { Moment } from '../../protocol/moment.ts';
import { kindOf } from '../../protocol/momentKinds.ts';
import type { ReplayClock, ServiceView } from '../../protocol/protocol.ts';
import { addControl, addPart } from '../address.ts';
import { byId, onceAFrame } from '../dom.ts';
import { count, instant } from '../format.ts';
import { clockTime, setTimedText } from '../times.ts';
import { createChart } from './chart.ts';
import { createChosenEvent } from './chosenEvent.ts';
import { followControls } from './controls.ts';
import { createEventTable } from './eventTable.ts';
import { followGestures } from './gestures.ts';
import { createKnownMoments, hour } from './knownMoments.ts';
import { rowsOf } from './lanes.ts';
import { createLegend } from './legend.ts';
import { neighbourOf } from './neighbour.ts';
import { createShownRange, fittedTo } from './range.ts';
import { beginningOf, type Lane, lanesOf, onlyKinds } from './spans.ts';

interface Timeline {
  all(moments: readonly Moment[]): void;
  one(moment: Moment): void;
  follow(clock: ReplayClock): void;
  /** Draws the timeline for the current time. */
  draw(): void;
}

interface TimelineOptions {
  readonly now: () => number;
  /** The services that are down now. */
  readonly notReady: () => Iterable<ServiceView>;
  /** In a replay: the user wants to go to this time. */
  readonly onSeek: (to: number) => void;
  /** In a replay: the user drags the cursor over this time; undefined: not any more. */
  readonly onDrag: (to: number | undefined) => void;
  readonly announce: (text: string) => void;
}

export function createTimeline({ now, notReady, onSeek, onDrag, announce }: TimelineOptions): Timeline {
  const place = byId('chart', HTMLElement);
  const search = byId('timeline-search', HTMLInputElement);
  const moments = createKnownMoments();
  const chart = createChart(place);
  const table = createEventTable();
  const legend = createLegend(() => draw());
  const chosen = createChosenEvent(() => draw());
  let replay: ReplayClock | undefined;
  let draggedTo: number | undefined;
  /** What the search and the legend leave. */
  let lanes: readonly Lane[] = [];
  let matching: readonly Moment[] = [];
  let isStale = true;

  const end = () => replay?.endsAt ?? now();
  const range = createShownRange(() => {
    const whole = { from: replay?.startsAt ?? end() - hour, to: end() };
    return { whole, fitted: replay === undefined ? fittedTo(whole, beginningOf(lanes)) : whole };
  });
  const writeRange = addPart('timeline', 'range', {
    initial: '',
    show(text) {
      range.read(text);
      redraw();
    },
  });

  function read(): void {
    const query = search.value.trim().toLowerCase();
    const isMatch = ({ about }: { readonly about: string }) => about.toLowerCase().includes(query);
    lanes = lanesOf(moments.list(), notReady())
      .filter(isMatch)
      .map((lane) => onlyKinds(lane, legend.isOn));
    matching = moments.list().filter((each) => legend.isOn(kindOf(each.what)) && isMatch(each));
    legend.explain(moments.list(), matching);
    const found = chosen.find(moments.list());
    if (found !== undefined) reveal(found, false);
  }

  /** Draws what is known already, in another range or with another event chosen. */
  const redraw = onceAFrame(() => {
    if (isStale) read();
    isStale = false;
    const shown = range.get();
    const rows = rowsOf(lanes, shown);
    const cursor = replay === undefined ? undefined : (draggedTo ?? now());
    place.hidden = beginningOf(lanes) === undefined && replay === undefined;
    const event = chosen.get();
    chart.draw({ rows, range: shown, now: now(), end: end(), cursor, chosen: event });
    const inView = matching.filter((each) => each === event || (each.t >= shown.from && each.t <= shown.to));
    table.show(inView, event, cursor);
    byId('timeline-none', HTMLElement).hidden = inView.length > 0;
    const laneCount = rows.filter((row) => 'lane' in row).length;
    const numbers = `${counted(laneCount, 'lane')}, ${counted(inView.length, 'event')}, `;
    setTimedText(
      byId('timeline-count', HTMLElement),
      `${numbers}${instant(shown.from)} to ${instant(shown.to)}`,
      now(),
    );
  });

  function draw(): void {
    isStale = true;
    redraw();
  }

  const timeAt = (share: number) => {
    const { from, to } = range.get();
    return from + (to - from) * share;
  };

  /** Chooses an event: its mark and its row are emphasized and in view. A replay moves to it. */
  function choose(moment: Moment, isOpened: boolean, seeks = true): void {
    chosen.choose(moment);
    const { from, to } = range.get();
    const outside = moment.t < from ? moment.t - from : Math.max(0, moment.t - to);
    if (outside !== 0) move(outside / (to - from) + Math.sign(outside) / 10);
    // weeder plays whole milliseconds: rounded up, so that the event is among what has happened.
    if (replay !== undefined && seeks) onSeek(Math.ceil(moment.t));
    redraw();
    reveal(moment, isOpened);
  }

  /** Scrolls to the event once it is drawn. */
  function reveal(moment: Moment, isOpened: boolean): void {
    requestAnimationFrame(() => {
      chart.reveal(moment.about);
      table.open(moment, isOpened);
    });
  }

  /** Shows the cursor of a replay where it is dragged to. */
  function drag(to: number | undefined, isDone: boolean): void {
    draggedTo = isDone ? undefined : to;
    onDrag(draggedTo);
    if (isDone && to !== undefined) onSeek(to);
    chart.moveCursor(to ?? now());
  }

  /** Chooses the event after (1) or before (-1) the chosen one, or the time of the replay. */
  function step(by: 1 | -1): void {
    const event = chosen.get();
    const isThere = replay === undefined || (event !== undefined && Math.ceil(event.t) === Math.round(now()));
    const at = replay === undefined && by === 1 ? range.get().from : now();
    const found = neighbourOf(matching, by, isThere ? event : undefined, at);
    if (found === undefined) {
      announce(by === 1 ? 'There is no later event.' : 'There is no earlier event.');
      return;
    }
    choose(found, false);
    announce([clockTime(found.t), found.words, found.about, found.pod ?? ''].filter(Boolean).join(', '));
  }

  /** Changes the range. */
  function change(act: () => void): void {
    act();
    writeRange(range.text());
    redraw();
  }

  const move = (share: number) => change(() => range.move(share));
  const zoom = (factor: number, at?: number) => change(() => range.zoom(factor, at));

  followControls(place, {
    zoomIn: () => zoom(0.5),
    zoomOut: () => zoom(2),
    earlier: () => move(-0.25),
    later: () => move(0.25),
    fit: () => change(range.fit),
    previous: () => step(-1),
    next: () => step(1),
    open() {
      const event = chosen.get();
      if (event !== undefined) table.open(event, true);
    },
  });
  followGestures(place, {
    zoom(factor, at) {
      const before = range.get();
      zoom(factor, at);
      const after = range.get();
      return Math.abs(after.to - after.from - (before.to - before.from)) > 1;
    },
    move,
    drag(from, to, isDone) {
      if (replay !== undefined) return drag(timeAt(to), isDone);
      chart.select(isDone ? undefined : [from, to]);
      if (!isDone) return;
      change(() => range.show({ from: timeAt(Math.min(from, to)), to: timeAt(Math.max(from, to)) }));
    },
    cancel() {
      chart.select(undefined);
      if (draggedTo !== undefined) drag(undefined, false);
    },
    click(x, y, at) {
      const target = chart.targetAt(x, y);
      if (target !== undefined) choose(target.moment, true, target.isMark);
      if (replay !== undefined && target?.isMark !== true) onSeek(timeAt(at));
    },
    isMovedByTouch: () => replay === undefined,
  });
  addControl('timeline', 'search', search, draw);
  new ResizeObserver(redraw).observe(place);
  return {
    all: moments.all,
    one: (moment) => moments.one(moment, now()),
    follow(clock) {
      if (replay === undefined) moments.keepRecording();
      replay = clock;
      if (clock.isPlaying && chosen.get() !== undefined) chosen.choose(undefined);
      chart.moveCursor(draggedTo ?? clock.now);
    },
    draw,
  };
}

function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}
