import type { ControllerSummary, Did, DidCount, Overview, OverviewGroup } from '../../protocol/overviewView.ts';
import { byId, setText } from '../dom.ts';
import { count, instant } from '../format.ts';
import { createPolledList } from '../polledList.ts';
import { createRows } from '../rows.ts';
import { setTimedText } from '../times.ts';
import { createController, createCount } from './items.ts';
import { createLine, type Listed } from './line.ts';

interface OverviewPage {
  /** Requests the data again, and resumes the countdowns. */
  refresh(): void;
}

/** The first view: what is wrong, what waits, what was done, and which controllers are on. Requested while visible. */
export function createOverview(now: () => number): OverviewPage {
  const problems = createLines('problems', now);
  const waits = createLines('waits', now);
  const calm = byId('overview-calm', HTMLElement);
  const did = createRows<DidCount, ReturnType<typeof createCount>>({
    parent: byId('overview-did', HTMLElement),
    keyOf: ({ words }) => words,
    create: createCount,
    update: (row, counted) => row.show(counted),
  });
  const controllers = createRows<ControllerSummary, ReturnType<typeof createController>>({
    parent: byId('overview-controllers', HTMLElement),
    keyOf: ({ name }) => name,
    create: createController,
    update: (row, summary) => row.show(summary),
  });
  let overview: Overview | undefined;

  function show(): void {
    if (overview === undefined) return;
    problems.show(overview.problems, 'degraded');
    waits.show(overview.waits, 'progressing');
    const sentence = calmSentence(overview);
    calm.hidden = sentence === '';
    setTimedText(calm, sentence, now());
    setText(byId('overview-did-title', HTMLElement), titleOf(overview.did, now()));
    did.place(overview.did.counts);
    controllers.place(overview.controllers);
  }

  const refresh = createPolledList<Overview>({
    path: () => '/overview',
    take(next) {
      overview = next;
    },
    show,
  });
  return { refresh };
}

function createLines(part: 'problems' | 'waits', now: () => number) {
  const list = byId(`overview-${part}`, HTMLElement);
  const title = byId(`overview-${part}-title`, HTMLElement);
  const name = title.textContent;
  const rows = createRows<Listed, ReturnType<typeof createLine>>({
    parent: list,
    keyOf: ({ key }) => key,
    create: createLine,
    update: (row, listed) => row.show(listed, now()),
  });
  return {
    show(groups: readonly OverviewGroup[], health: Listed['health']) {
      const total = groups.reduce((sum, group) => sum + group.total, 0);
      setText(title, `${name} ${total === 0 ? '' : count(total)}`);
      title.hidden = total === 0;
      rows.place(groups.flatMap((group) => linesOf(group, health)));
    },
  };
}

/** The lines of a group, and one for those that are not shown. */
function linesOf({ view, total, lines }: OverviewGroup, health: Listed['health']): Listed[] {
  // A workload may have several problems.
  const before = (object: string, index: number) =>
    lines.slice(0, index).filter((line) => line.object === object).length;
  const listed = lines.map((line, index) => ({
    key: `${view} ${line.object} ${before(line.object, index)}`,
    health,
    line,
    href: `#${view}`,
  }));
  if (total === lines.length) return listed;
  const more = { object: `${count(total - lines.length)} more`, page: undefined, words: '' };
  const line = { ...more, since: undefined, next: undefined };
  return [...listed, { key: `${view} more`, health: undefined, line, href: `#${view}` }];
}

/** Empty while something needs attention. */
function calmSentence({ problems, waits, controllers }: Overview): string {
  const [first] = controllers.filter(({ summary }) => summary !== '');
  if (problems.length > 0 || first === undefined) return '';
  const since = first.since === undefined ? '' : `, since ${instant(first.since)}`;
  return waits.length > 0 ? 'Nothing needs attention.' : `${first.summary}, nothing waits${since}.`;
}

function titleOf({ from, isDryRun }: Did, now: number): string {
  const range = now - from > 3_590_000 ? 'in the last hour' : 'lately';
  return `${isDryRun ? 'Would have been done' : 'Done'} ${range}`;
}
