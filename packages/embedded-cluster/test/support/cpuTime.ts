/** Starts a measurement; the returned function returns the CPU time used by the process since then, in ms. */
export function cpuTime(): () => number {
  const begun = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1000;
  };
}
