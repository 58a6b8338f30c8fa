/**
 * The text format as OpenMetrics has it: a counter's family is named without `_total`, there are no empty lines, and
 * the end is marked. prom-client's own OpenMetrics renames the metrics for good, so that one registry serves only one
 * of the two.
 */
export function toOpenMetrics(text: string): string {
  const counters = new Set([...text.matchAll(/^# TYPE (\S+)_total counter$/gm)].map(([, family]) => family));
  const families = text.replace(/^(# (?:HELP|TYPE) )(\S+)_total /gm, (whole, begin: string, family: string) =>
    counters.has(family) ? `${begin}${family} ` : whole,
  );
  return `${families.replace(/\n{2,}/g, '\n').trimEnd()}\n# EOF\n`;
}
