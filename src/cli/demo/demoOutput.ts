import { styleText } from 'node:util';
import type { Downtime } from '../../demo/downtime.ts';
import type { TimelineEntry } from '../../demo/timeline.ts';

const { stdout } = process;
const colours = { bad: 'red', good: 'green', action: 'cyan', plain: 'reset' } as const;

/** The content of the progress line. */
export interface Progress {
  /** Milliseconds. */
  time(): number;
  /** The completed share, from 0 to 1. */
  done(): number;
  /** A short status. */
  status(): string;
}

/** The progress of an outage that lasts for this many milliseconds. */
export function outageProgress(
  outage: number,
  { time, downtimes }: { time(): number | undefined; downtimes(): readonly Downtime[] },
): Progress {
  return {
    time: () => time() ?? 0,
    done: () => (time() ?? 0) / outage,
    status() {
      const replicas = downtimes();
      return `${replicas.filter(({ isDown }) => isDown).length} of ${replicas.length} down`;
    },
  };
}

/** Prints lines, given without line feeds. */
export function print(...lines: readonly string[]): void {
  stdout.write(`${lines.join('\n')}\n`);
}

/** A line of the timeline; `time` is milliseconds. */
export function line(time: number, { who, what, tone }: TimelineEntry): string {
  return `${clockTime(time)}  ${who.padEnd(8)} ${styleText(colours[tone], what, { stream: stdout })}`;
}

/** A heading. */
export function heading(text: string): string {
  return styleText('bold', text, { stream: stdout });
}

/** Prints a table with a header. */
export function printTable([head = '', ...rows]: readonly string[]): void {
  print(`  ${heading(head)}`, ...rows.map((row) => `  ${row}`));
}

function clockTime(time: number): string {
  // `+ 0` avoids a minus zero shortly before the outage.
  const seconds = Math.round(time / 100) / 10 + 0;
  return `t=${seconds.toFixed(1).padStart(6)}s`;
}

/** On a terminal, the last line shows the progress; elsewhere there is none. */
export function progressLine() {
  let timer: NodeJS.Timeout | undefined;
  const clear = () => (stdout.isTTY ? stdout.write('\r\u001B[K') : undefined);
  return {
    start(course: Progress): void {
      if (!stdout.isTTY) return;
      timer = setInterval(() => {
        const done = Math.min(20, Math.max(0, Math.round(course.done() * 20)));
        const bar = '█'.repeat(done) + styleText('dim', '░'.repeat(20 - done), { stream: stdout });
        stdout.write(`\r${clockTime(course.time())}  ${bar} ${course.status()}\u001B[K`);
      }, 100);
    },
    above(...lines: readonly string[]): void {
      if (lines.length === 0) return;
      clear();
      print(...lines);
    },
    stop(): void {
      clearInterval(timer);
      clear();
    },
  };
}
