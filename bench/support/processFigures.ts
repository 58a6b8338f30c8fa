import { globSync, readFileSync } from 'node:fs';

/** The memory of a process. MiB. */
export interface Memory {
  readonly rss: number;
  /** The maximum so far. */
  readonly peak: number;
}

export function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mebibytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
  return { rss: mebibytes('VmRSS'), peak: mebibytes('VmHWM') };
}

/**
 * Seconds that all threads of a process have spent on a core, to the nanosecond: `/proc/PID/stat` counts in hundredths
 * of a second, which is more than a small recovery takes.
 */
export function cpuSeconds(pid: number): number {
  const nanoseconds = globSync(`/proc/${pid}/task/*/schedstat`).map((file) =>
    Number(readFileSync(file, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e9;
}

/** Milliseconds of the machine's monotonic clock, which all its processes share. */
export function monotonic(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
