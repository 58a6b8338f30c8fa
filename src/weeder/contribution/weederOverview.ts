import { keyOf, objectText } from '@weeder/kube-runtime/objects';
import {
  compareNames,
  count,
  describeState,
  healthOfService,
  isUp,
  type ObjectLine,
  type OverviewPart,
  overviewGroup,
  problemsOf,
  quantity,
  type ServiceView,
  serviceStates,
  worstFirst,
} from '@weeder/live-page';
import type { Seen } from '../../controller/contribution/contribution.ts';
import type { DeclarationProblem } from '../declaredDependencies.ts';
import type { ShownWeeder } from '../weederController.ts';

/** The weeder's part of the overview. */
export function weederOverview(shown: ShownWeeder, { now, services }: Seen): OverviewPart {
  const [all, unknown] = split([...services], ({ namespace }) => namespace !== '');
  const bad = all.filter((service) => healthOfService(service) === 'degraded');
  const [failed, down] = split(bad, isUp);
  const windows = all.filter(({ window }) => window !== undefined);
  const lineOf = (service: ServiceView) => serviceLine(service, now);
  return {
    summary: summaryOf(all),
    since: latest(all),
    problems: [
      { severity: 'down', ...overviewGroup('services', down, byDependants, lineOf) },
      { severity: 'failed', ...overviewGroup('services', failed, byDependants, lineOf) },
      { severity: 'invalid', ...overviewGroup('services', unknown, byDependants, lineOf) },
      {
        severity: 'invalid',
        ...overviewGroup('timeline', shown.declarationProblems?.() ?? [], byWorkload, declarationLine),
      },
    ],
    waits: [
      overviewGroup('services', windows, byEnd, (service) => lineOf({ ...service, failed: 0, failure: undefined })),
    ],
  };
}

function split<Item>(items: readonly Item[], is: (item: Item) => boolean): readonly [Item[], Item[]] {
  return [items.filter(is), items.filter((item) => !is(item))];
}

/** The more dependants crash-loop, the worse. */
const byDependants = worstFirst<ServiceView>(({ crashLooping }) => -crashLooping, nameOf);
const byEnd = worstFirst<ServiceView>(({ window }) => window?.closesAt ?? 0, nameOf);

function byWorkload(a: DeclarationProblem, b: DeclarationProblem): number {
  return compareNames(objectText(a.workload), objectText(b.workload));
}

/** The id of its page. */
export function nameOf({ namespace, service }: Pick<ServiceView, 'namespace' | 'service'>): string {
  return namespace === '' ? service : keyOf(namespace, service);
}

export function serviceLine(service: ServiceView, now: number): ObjectLine {
  const { isReady, since, window, failure } = service;
  const words = [describeState(service, now), ...problemsOf(service)].join(', ');
  return {
    object: `Service ${nameOf(service)}`,
    page: { type: 'service', id: nameOf(service) },
    words: failure === undefined ? words : `${words}: Pod ${failure.pod}: ${failure.reason}`,
    since: isReady && failure !== undefined ? failure.at : since,
    next: window && { words: serviceStates['ready.windowOpen'].next, at: window.closesAt },
  };
}

function declarationLine({ workload, problem }: DeclarationProblem): ObjectLine {
  return { object: objectText(workload), page: undefined, words: problem, since: undefined, next: undefined };
}

function summaryOf(all: readonly ServiceView[]): string {
  const ready = all.filter(({ isReady }) => isReady).length;
  if (all.length === 0) return 'No service is configured or declared';
  const total = quantity(all.length, 'service');
  return ready === all.length && ready > 1 ? `All ${total} ready` : `${count(ready)} of ${total} ready`;
}

function latest(all: readonly ServiceView[]): number | undefined {
  const times = all.flatMap(({ since }) => since ?? []);
  return times.length === 0 ? undefined : times.reduce((a, b) => Math.max(a, b));
}
