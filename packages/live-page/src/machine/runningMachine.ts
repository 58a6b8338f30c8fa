import type { ActorPage } from '../../protocol/protocol.ts';

/** The first of these machines that has an actor, as the controllers that are on determine; else the first. */
export async function runningMachine(machines: readonly string[]): Promise<string> {
  const running = await fetchRunning().catch((): readonly string[] => []);
  return machines.find((each) => running.includes(each)) ?? machines[0] ?? '';
}

async function fetchRunning(): Promise<readonly string[]> {
  const response = await fetch('/actors?limit=0', { signal: AbortSignal.timeout(10_000) });
  const page: ActorPage = await response.json();
  return page.machines;
}
