/** Starts to measure; the returned function says how many milliseconds of CPU time the process has used since. */
export function cpuTime(): () => number {
  const begun = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1000;
  };
}
