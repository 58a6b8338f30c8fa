import type { Clock } from '@weeder/kube-runtime/base';

/** The windows of the last hour that dependants have opened, each with the workload that ran again. */
interface Openings {
  add(service: string, workload: string): void;
  /** How many there were for the service, or only those of this workload. */
  of(service: string, workload?: string): number;
  /** The services that had some. */
  services(): Iterable<string>;
}

interface Opening {
  readonly at: number;
  readonly service: string;
  readonly workload: string;
}

const hour = 3_600_000;

export function createOpenings(clock: Pick<Clock, 'monotonic'>): Openings {
  /** The oldest come first. */
  const byService = new Map<string, readonly Opening[]>();

  function recent(service: string): readonly Opening[] {
    const all = byService.get(service) ?? [];
    const left = all.filter(({ at }) => clock.monotonic() - at < hour);
    if (left.length === 0) byService.delete(service);
    else if (left.length < all.length) byService.set(service, left);
    return left;
  }

  return {
    add(service, workload) {
      for (const each of [...byService.keys()]) recent(each);
      byService.set(service, [...recent(service), { at: clock.monotonic(), service, workload }]);
    },
    of: (service, workload) =>
      recent(service).filter((each) => workload === undefined || each.workload === workload).length,
    *services() {
      for (const service of [...byService.keys()]) if (recent(service).length > 0) yield service;
    },
  };
}
