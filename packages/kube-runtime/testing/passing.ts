import type { VirtualClock } from '../src/base/virtualClock.ts';

/** Lets time pass from timer to timer, each time after `untilIdle`: nothing takes time but what waits for a timer. */
export async function passing(clock: VirtualClock, ms: number, untilIdle: () => Promise<void>): Promise<void> {
  const end = clock.monotonic() + ms;
  const due = () => clock.nextDue ?? Number.POSITIVE_INFINITY;
  for (await untilIdle(); due() <= end; await untilIdle()) clock.advance(Math.max(0, due() - clock.monotonic()));
  clock.advance(Math.max(0, end - clock.monotonic()));
}
