/**
 * Starts measuring the CPU time of this process; the returned function says how much it was so far, in milliseconds.
 * The wall clock would include everything else that the machine does.
 */
export function cpuTime(): () => number {
  const begun = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1000;
  };
}
