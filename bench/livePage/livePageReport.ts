import { goalTable } from '../recovery/recoveryReport.ts';
import type { Goal } from '../support/goals.ts';
import { median } from '../support/statistics.ts';
import { bytes, figure, table } from '../support/table.ts';
import type { Cost, LivePageCase, Opened } from './livePageResults.ts';

/** What the live page costs, as Markdown. */
export function livePageReport(cases: readonly LivePageCase[]): string {
  const sections = [loadTable(cases), costTable(cases), deletionTable(cases), scrollTable(cases)];
  return [...sections, goalTable(cases.flatMap(livePageGoals))].join('\n\n');
}

function loadTable(cases: readonly LivePageCase[]): string {
  const rows = cases.flatMap(({ services, actors, loads }) =>
    loads.map(({ view, firstRows, bytes: received, elements }) => [
      String(services),
      String(actors),
      view,
      figure(firstRows),
      bytes(received),
      String(elements),
    ]),
  );
  return table(['services', 'actors', 'view', 'first rows ms', 'received', 'elements'], rows);
}

function costTable(cases: readonly LivePageCase[]): string {
  const rows = cases.flatMap((pageCase) => {
    const { pages, changing, seconds, atRest } = pageCase;
    const change = `${changing} services change in ${seconds} s`;
    return [
      costRow('at rest', 0, atRest.weeder),
      costRow('at rest', 1, atRest.withPage.weeder, atRest.withPage),
      costRow(
        change,
        0,
        middleCost(pageCase, ({ without }) => without.weeder),
      ),
      costRow(
        change,
        pages,
        middleCost(pageCase, ({ withPages }) => withPages.weeder),
        middlePages(pageCase),
      ),
    ];
  });
  const head = ['state', 'pages', 'weeder CPU %', 'weeder MiB', 'browser CPU %', 'browser MiB', 'received a second'];
  return table(head, rows);
}

function costRow(what: string, pages: number, weeder: Cost, opened?: Opened): string[] {
  const browser =
    opened === undefined
      ? ['', '', '']
      : [figure(opened.browser.cpu), figure(opened.browser.memory), bytes(opened.received)];
  return [what, String(pages), figure(weeder.cpu), figure(weeder.memory), ...browser];
}

type Round = LivePageCase['rounds'][number];

function middle({ rounds }: LivePageCase, of: (round: Round) => number): number {
  return median(rounds.map(of));
}

function middleCost(pageCase: LivePageCase, of: (round: Round) => Cost): Cost {
  return {
    cpu: middle(pageCase, (round) => of(round).cpu),
    memory: middle(pageCase, (round) => of(round).memory),
  };
}

function middlePages(pageCase: LivePageCase): Opened {
  return {
    browser: middleCost(pageCase, ({ withPages }) => withPages.pages.browser),
    received: Math.round(middle(pageCase, ({ withPages }) => withPages.pages.received)),
    elements: middle(pageCase, ({ withPages }) => withPages.pages.elements),
  };
}

const latencies = ['p50', 'p99', 'max'] as const;

function deletionTable(cases: readonly LivePageCase[]): string {
  const rows = cases.flatMap((pageCase) =>
    latencies.map((latency) => [
      `${pageCase.rounds.length} × ${pageCase.changing}`,
      latency,
      figure(middle(pageCase, ({ without }) => without[latency])),
      figure(middle(pageCase, ({ withPages }) => withPages[latency])),
      figure(middle(pageCase, (round) => ratio(round, latency))),
      pageCase.rounds.map((round) => figure(ratio(round, latency))).join(', '),
    ]),
  );
  return table(['deletions', 'time', 'without ms', 'with pages ms', '×', 'in each round'], rows);
}

function ratio({ without, withPages }: Round, latency: (typeof latencies)[number]): number {
  return withPages[latency] / without[latency];
}

function scrollTable(cases: readonly LivePageCase[]): string {
  const rows = cases.flatMap(({ scroll: { services, elements, atRest, scrolling } }) =>
    [['at rest', atRest] as const, ['scrolling', scrolling] as const].map(([what, frames]) => [
      String(services),
      what,
      figure(frames.perSecond),
      figure(frames.longest),
      figure(frames.cpu),
      String(elements),
    ]),
  );
  return table(['services', 'page', 'frames a second', 'longest ms', 'CPU of a frame ms', 'elements'], rows);
}

/** A frame of a screen with 60 a second. Milliseconds. */
const frameMs = 16.7;

export function livePageGoals(pageCase: LivePageCase): Goal[] {
  const { pages, scroll } = pageCase;
  const scrolled = `while ${scroll.services} services scroll`;
  return [
    {
      what: `p99 of deletions with ${pages} pages, relative to without`,
      limit: 1.05,
      value: middle(pageCase, (round) => ratio(round, 'p99')),
      unit: '×',
    },
    { what: `CPU of a frame ${scrolled}`, limit: frameMs, value: scroll.scrolling.cpu, unit: 'ms' },
    {
      what: `time of a frame ${scrolled}, relative to at rest`,
      limit: 1.05,
      value: scroll.atRest.perSecond / scroll.scrolling.perSecond,
      unit: '×',
    },
    { what: `elements ${scrolled}`, limit: 1500, value: scroll.elements, unit: '' },
  ];
}
