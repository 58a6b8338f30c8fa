import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../../base/log.ts';
import type { Viewer } from '../../demo/viewer.ts';
import type { ServedUi } from '../serveUi.ts';
import { stopOnSignals } from '../signals.ts';
import { print } from './demoOutput.ts';

/** Delays the demo until a page is open, or for a maximum time, so that nothing is missed. */
export function viewerOf(page: ServedUi): Viewer {
  const deadline = performance.now() + 30_000;
  return {
    ...page,
    async isReady() {
      while (page.viewers() === 0 && performance.now() < deadline) await pause(100);
    },
  };
}

/** Keeps the page open until Ctrl-C. */
export async function keepPage({ url }: ServedUi, logger: Logger): Promise<void> {
  print('', `The live page stays until Ctrl-C: ${url}`);
  const stop = stopOnSignals(logger, { onePress: 1_000 });
  if (!stop.signal.aborted) await once(stop.signal, 'abort');
  stop.forget();
}
