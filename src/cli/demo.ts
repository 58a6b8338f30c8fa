import { styleText } from 'node:util';
import { formatDuration } from '../config/duration.ts';
import { comparison } from '../demo/comparison.ts';
import type { KubeletVersion } from '../demo/kubelet/backOff.ts';
import { playWithoutWeeder, playWithWeeder } from '../demo/run.ts';
import type { Scenario } from '../demo/scenario.ts';
import { type TimelineEntry, timelineEntry } from '../demo/timeline.ts';
import { createLogger } from '../log.ts';
import { exitCodes } from './output.ts';

/** What `weeder demo` was told. The outage is milliseconds. */
export interface DemoFlags {
  readonly speed?: number;
  readonly replicas: number;
  readonly outage: number;
  readonly seed: number;
  readonly kubelet: KubeletVersion;
}

const { stdout } = process;
/** A demo takes about this long, when no speed is asked for; milliseconds, and the highest speed that is chosen. */
const usualTime = 24_000;
const highestSpeed = 20;
/** From the start to the outage and from the recovery to the end, roughly. */
const around = 5_000;

const colours = { bad: 'red', good: 'green', deed: 'cyan', plain: 'reset' } as const;

/** `weeder demo`: an outage on an API server of its own. Resolves with the exit code. */
export async function demo(flags: DemoFlags): Promise<number> {
  const simulated = flags.outage + around;
  const speed = flags.speed ?? Math.min(highestSpeed, Math.max(1, Math.round(simulated / usualTime)));
  const progress = progressLine(flags.outage);
  say(
    `The real weeder on an API server of its own; kubelet ${flags.kubelet} is simulated, no cluster is needed.`,
    `Time runs ${speed} times as fast: this takes about ${Math.ceil(simulated / speed / 1_000)} s.`,
    '',
  );
  const outcome = await playWithWeeder({
    ...flags,
    speed,
    logger: await createLogger('error', process.stderr),
    onBegin: progress.start,
    onFact(time, fact) {
      const entry = timelineEntry(fact);
      if (entry !== undefined) progress.above(line(time, entry));
    },
  });
  progress.stop();
  const without = await playWithoutWeeder(flags);
  const [head = '', ...rows] = comparison(outcome.downtimes, without);
  say('', `The same outage (${formatDuration(flags.outage)}, seed ${flags.seed}) with and without weeder:`, '');
  say(`  ${styleText('bold', head, { stream: stdout })}`, ...rows.map((row) => `  ${row}`));
  if (!outcome.isBack) say('', 'The pods did not come back.');
  return outcome.isBack ? exitCodes.ok : exitCodes.failed;
}

function say(...lines: readonly string[]): void {
  stdout.write(`${lines.join('\n')}\n`);
}

function line(time: number, { who, what, tone }: TimelineEntry): string {
  return `${clockTime(time)}  ${who.padEnd(8)} ${styleText(colours[tone], what, { stream: stdout })}`;
}

function clockTime(time: number): string {
  return `t=${(time / 1_000).toFixed(1).padStart(6)}s`;
}

/** On a terminal, the last line shows that time passes; elsewhere there is none. */
function progressLine(outage: number) {
  let timer: NodeJS.Timeout | undefined;
  const clear = () => (stdout.isTTY ? stdout.write('\r\u001B[K') : undefined);
  return {
    start(scenario: Scenario): void {
      if (!stdout.isTTY) return;
      timer = setInterval(() => {
        const time = scenario.time() ?? 0;
        const done = Math.min(20, Math.max(0, Math.round((time / outage) * 20)));
        const bar = '█'.repeat(done) + styleText('dim', '░'.repeat(20 - done), { stream: stdout });
        const replicas = scenario.downtimes();
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
