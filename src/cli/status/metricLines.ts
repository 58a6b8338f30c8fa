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

/** The numbers of `/metrics`, as lines of text. A gauge that is not served, or is zero, has none. */
export function metricLines(text: string): readonly string[] {
  return gauges.flatMap(([metric, words, label]) => {
    const series = text.split('\n').flatMap((line) => seriesOf(line, metric, label));
    const total = series.reduce((sum, { value }) => sum + value, 0);
    if (total === 0) return [];
    const parts = series.filter(({ of, value }) => of !== '' && value > 0).map(({ of, value }) => `${of} ${value}`);
    return [`${words}: ${total}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`];
  });
}

function seriesOf(line: string, metric: string, label: string | undefined) {
  const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
  if (name !== metric || !Number.isFinite(Number(value))) return [];
  const of = label === undefined ? '' : (new RegExp(`\\b${label}="([^"]*)"`).exec(labels)?.[1] ?? '');
  return [{ of, value: Number(value) }];
}
