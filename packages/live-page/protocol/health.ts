/** The values of `data-health`, from which the style sheet has the colour of a state, the worst first. */
const healths = ['degraded', 'unknown', 'progressing', 'healthy'] as const;
export type Health = (typeof healths)[number];

/** Which workloads or Applications a list shows. */
export const healthFilters = ['all', 'degraded', 'progressing', 'healthy'] as const;
export type HealthFilter = (typeof healthFilters)[number];

/** How many items each filter shows. */
export function countByHealth(healths: Iterable<Health>): Record<HealthFilter, number> {
  const counts = { all: 0, degraded: 0, progressing: 0, healthy: 0 };
  for (const health of healths) {
    counts.all += 1;
    if (health !== 'unknown') counts[health] += 1;
  }
  return counts;
}

/** The rank in a list: the worst have the lowest. */
export function healthRank(health: Health): number {
  return healths.indexOf(health);
}
