import type { PodStatus } from '../data/statusShape.ts';

type Numbers = NonNullable<PodStatus['numbers']>;

/** The gauges that say what is now, with their words and the label by which they are split. */
const gauges = [
  ['weeder_services', 'services', 'state'],
  ['weeder_windows_open', 'open windows', 'service'],
  ['weeder_crash_looping_pods', 'crash-looping pods', undefined],
  ['weeder_managed_workloads', 'managed workloads', 'state'],
  ['weeder_restarts_pending', 'pending restarts', 'reason'],
  ['weeder_restarts_blocked', 'blocked restarts', 'reason'],
  ['weeder_applications', 'Applications', 'state'],
  ['weeder_application_resources', 'resources of Applications', 'state'],
] as const;

const wordsOf: ReadonlyMap<string, string> = new Map(gauges.map(([metric, words]) => [metric, words]));

/** The numbers of `/metrics`, without gauges that are not served, or are zero. */
export function readNumbers(text: string): Numbers {
  return gauges.flatMap(([metric, _words, label]) => {
    const series = text.split('\n').flatMap((line) => seriesOf(line, metric, label));
    const total = series.reduce((sum, { value }) => sum + value, 0);
    const parts = series.filter((part) => part.label !== '' && part.value > 0);
    return total === 0 ? [] : [{ metric, total, parts }];
  });
}

function seriesOf(line: string, metric: string, splitBy: string | undefined) {
  const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
  if (name !== metric || !Number.isFinite(Number(value))) return [];
  const label = splitBy === undefined ? '' : (new RegExp(`\\b${splitBy}="([^"]*)"`).exec(labels)?.[1] ?? '');
  return [{ label, value: Number(value) }];
}

/** `services: 4 (ready 3, not_ready 1)` */
export function numberLines(numbers: Numbers): readonly string[] {
  return numbers.map(({ metric, total, parts }) => {
    const split = parts.map(({ label, value }) => `${label} ${value}`).join(', ');
    return `${wordsOf.get(metric) ?? metric}: ${total}${split === '' ? '' : ` (${split})`}`;
  });
}
