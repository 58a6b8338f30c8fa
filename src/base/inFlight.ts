/** What has to be waited for in the end is among these as long as it is under way. */
export function track(inFlight: Set<Promise<unknown>>, work: Promise<unknown>): void {
  inFlight.add(work);
  void work.finally(() => inFlight.delete(work));
}
