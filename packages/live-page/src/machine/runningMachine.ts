import type { ActorPage } from '../../protocol/protocol.ts';
import { fetchList } from '../polledList.ts';

/** The first of these machines that has an actor, as the controllers that are on determine; else the first. */
export async function runningMachine(machines: readonly string[]): Promise<string> {
  const running = await fetchList<ActorPage>('/actors?limit=0').then(
    ({ machines }) => machines,
    (): readonly string[] => [],
  );
  return machines.find((each) => running.includes(each)) ?? machines[0] ?? '';
}
