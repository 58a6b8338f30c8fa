import { styleText } from 'node:util';
import type { Downtime } from '../demo/downtime.ts';
import type { TimelineEntry } from '../demo/timeline.ts';

const { stdout } = process;
const colours = { bad: 'red', good: 'green', deed: 'cyan', plain: 'reset' } as const;

/** What the progress line shows. */
export interface Course {
  /** Milliseconds since etcd went away. */
  time(): number | undefined;
  downtimes(): readonly Downtime[];
}

/** Whole lines, without their ends. */
export function say(...lines: readonly string[]): void {
  stdout.write(`${lines.join('\n')}\n`);
}

/** A line of the timeline; `time` is milliseconds. */
export function line(time: number, { who, what, tone }: TimelineEntry): string {
  return `${clockTime(time)}  ${who.padEnd(8)} ${styleText(colours[tone], what, { stream: stdout })}`;
}

/** The lines of a table with a head. */
export function sayTable([head = '', ...rows]: readonly string[]): void {
  say(`  ${styleText('bold', head, { stream: stdout })}`, ...rows.map((row) => `  ${row}`));
}

function clockTime(time: number): string {
  // Plus zero: a moment before the outage is no minus zero.
  const seconds = Math.round(time / 100) / 10 + 0;
  return `t=${seconds.toFixed(1).padStart(6)}s`;
}

/** On a terminal, the last line shows that time passes; elsewhere there is none. */
export function progressLine(outage: number) {
  let timer: NodeJS.Timeout | undefined;
  const clear = () => (stdout.isTTY ? stdout.write('\r\u001B[K') : undefined);
  return {
    start(course: Course): void {
      if (!stdout.isTTY) return;
      timer = setInterval(() => {
        const time = course.time() ?? 0;
        const done = Math.min(20, Math.max(0, Math.round((time / outage) * 20)));
        const bar = '█'.repeat(done) + styleText('dim', '░'.repeat(20 - done), { stream: stdout });
        const replicas = course.downtimes();
        const down = replicas.filter(({ isDown }) => isDown).length;
        stdout.write(`\r${clockTime(time)}  ${bar} ${down} of ${replicas.length} down\u001B[K`);
      }, 100);
    },
    above(text: string): void {
      clear();
      say(text);
    },
    stop(): void {
      clearInterval(timer);
      clear();
    },
  };
}
