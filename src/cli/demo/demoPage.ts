import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock, Result } from '@weeder/kube-runtime/base';
import type { Logger } from '../../base/log.ts';
import type { Viewer } from '../../demo/viewer.ts';
import { demoConfig } from '../../demo/weederProcess.ts';
import { type ServedUi, serveUi, type UiFlags, uiAddressOf } from '../serveUi.ts';
import { stopOnSignals } from '../signals.ts';
import { print } from './demoOutput.ts';

interface DemoPage {
  readonly clock: Clock;
  readonly speed: number;
  /** The config file of its weeder, which stays the same. */
  readonly configText: string;
}

/** Serves the page of a demo, if the flags ask for it. */
export function serveDemo(
  flags: UiFlags,
  logger: Logger,
  { clock, speed, configText }: DemoPage,
): Promise<Result<ServedUi | undefined>> {
  const config = demoConfig(configText);
  const cluster = { cluster: 'demo', version: undefined, identity: 'weeder', namespaces: 'all namespaces' } as const;
  const status = { generation: 1, appliedAt: clock.now(), lastReload: 'applied' } as const;
  return serveUi(uiAddressOf(flags), logger, { clock, speed, process: () => ({ ...cluster, config, status }) });
}

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
