import { z } from 'zod';
import { eventually } from './eventually.ts';
import type { TestNamespace } from './namespace.ts';
import { Metadata } from './objects.ts';

const Series = z.looseObject({ count: z.number(), lastObservedTime: z.string() });

/** An Event of the core API, which `kubectl describe` reads. */
export const CoreEvent = z.looseObject({
  metadata: Metadata,
  involvedObject: z.looseObject({ kind: z.string(), name: z.string(), uid: z.string().optional() }),
  reason: z.string(),
  message: z.string(),
  type: z.string(),
  action: z.string(),
  eventTime: z.string(),
  series: Series.optional(),
  reportingComponent: z.string(),
  reportingInstance: z.string(),
});
export type CoreEvent = z.infer<typeof CoreEvent>;

/** An Event of `events.k8s.io/v1`. */
export const NewEvent = z.looseObject({
  metadata: Metadata,
  regarding: z.looseObject({ kind: z.string(), name: z.string(), uid: z.string().optional() }),
  reason: z.string(),
  note: z.string(),
});

const reporter = 'reportingComponent=weeder.dev/weeder';

/** Returns the Events of weeder in the namespace that match these field selectors. */
export async function eventsOf(ns: TestNamespace, ...selectors: string[]): Promise<CoreEvent[]> {
  const selector = encodeURIComponent([reporter, ...selectors].join(','));
  const list = await ns.cluster.api('GET', `${ns.path('api/v1', 'events')}?fieldSelector=${selector}`);
  return z.looseObject({ items: z.array(CoreEvent) }).parse(list).items;
}

/** Waits until exactly Events with these reasons, in any order, match the selectors. */
export async function eventsWith(
  ns: TestNamespace,
  selectors: readonly string[],
  reasons: readonly string[],
): Promise<CoreEvent[]> {
  return eventually(
    async (saw) => {
      const events = await eventsOf(ns, ...selectors);
      const seen = events.map(({ reason }) => reason).sort();
      saw(seen);
      return seen.join() === [...reasons].sort().join() && events;
    },
    { what: `the Events ${reasons.join(', ')} in ${ns.name}` },
  );
}
