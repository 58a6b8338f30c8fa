import { scaledClock } from '@weeder/embedded-cluster';
import { formatDuration } from '@weeder/kube-runtime/base';
import { createLogger } from '../../base/log.ts';
import { comparison } from '../../demo/comparison.ts';
import { configText } from '../../demo/objects.ts';
import { playWithoutWeeder, playWithWeeder } from '../../demo/run.ts';
import { weederTimelineEntry } from '../../demo/timeline.ts';
import { exitCodes, fail } from '../output.ts';
import type { DemoFlags } from './demoFlags.ts';
import { line, outageProgress, print, printTable, progressLine } from './demoOutput.ts';
import { keepPage, serveDemo, viewerOf } from './demoPage.ts';

/** How long a demo takes by default, in milliseconds, and the maximum speed that is chosen automatically. */
const usualTime = 24_000;
const highestSpeed = 20;
/** The approximate time before the outage and after the recovery. */
const around = 5_000;

/** `weeder demo`: an outage on an embedded cluster. Resolves with the exit code. */
export async function demo(flags: DemoFlags): Promise<number> {
  const simulated = flags.outage + around;
  const speed = flags.speed ?? Math.min(highestSpeed, Math.max(1, Math.round(simulated / usualTime)));
  const progress = progressLine();
  const clock = scaledClock(speed);
  const logger = await createLogger('error', process.stderr);
  const page = await serveDemo(flags, logger, { clock, speed, configText });
  if (!page.ok) return fail(page.error);
  print(
    'This demo runs the real weeder on an embedded API server: no cluster is needed.',
    `Kubelet ${flags.kubelet} is simulated, time runs ${speed} times as fast: this takes about ${Math.ceil(simulated / speed / 1_000)} s.`,
    '',
  );
  if (page.value !== undefined) print(`The live page: ${page.value.url} (the outage waits 30 s for it)`, '');
  let exitCode: number = exitCodes.ok;
  await playWithWeeder({
    ...flags,
    clock,
    logger,
    ...(page.value === undefined ? {} : { viewer: viewerOf(page.value) }),
    onBegin: (course) => progress.start(outageProgress(flags.outage, course)),
    onEvent(time, event) {
      const entry = weederTimelineEntry(event);
      if (entry !== undefined) progress.above(line(time, entry));
    },
    async onEnd({ isBack, downtimes }) {
      progress.stop();
      const without = await playWithoutWeeder(flags);
      print('', `The same outage (${formatDuration(flags.outage)}, seed ${flags.seed}) with and without weeder:`, '');
      printTable(comparison(downtimes, without));
      if (!isBack) {
        print('', `The pods were not ready ${formatDuration(flags.timeout)} after the outage.`);
        exitCode = exitCodes.failed;
      }
      if (page.value === undefined) return;
      await keepPage(page.value, logger);
    },
  });
  await page.value?.close();
  return exitCode;
}
