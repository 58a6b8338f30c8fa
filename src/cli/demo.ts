import { formatDuration } from '../config/duration.ts';
import { comparison } from '../demo/comparison.ts';
import { playWithoutWeeder, playWithWeeder } from '../demo/run.ts';
import { timelineEntry } from '../demo/timeline.ts';
import { createLogger } from '../log.ts';
import type { DemoFlags } from './demoFlags.ts';
import { line, progressLine, say, sayTable } from './demoOutput.ts';
import { exitCodes } from './output.ts';

/** A demo takes about this long, when no speed is asked for; milliseconds, and the highest speed that is chosen. */
const usualTime = 24_000;
const highestSpeed = 20;
/** From the start to the outage and from the recovery to the end, roughly. */
const around = 5_000;

/** `weeder demo`: an outage on an API server of its own. Resolves with the exit code. */
export async function demo(flags: DemoFlags): Promise<number> {
  const simulated = flags.outage + around;
  const speed = flags.speed ?? Math.min(highestSpeed, Math.max(1, Math.round(simulated / usualTime)));
  const progress = progressLine(flags.outage);
  say(
    'The real weeder, on an API server of its own: no cluster is needed.',
    `Kubelet ${flags.kubelet} is simulated, time runs ${speed} times as fast: this takes about ${Math.ceil(simulated / speed / 1_000)} s.`,
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
  say('', `The same outage (${formatDuration(flags.outage)}, seed ${flags.seed}) with and without weeder:`, '');
  sayTable(comparison(outcome.downtimes, without));
  if (outcome.isBack) return exitCodes.ok;
  say('', `The pods were not back ${formatDuration(flags.timeout)} after the outage.`);
  return exitCodes.failed;
}
