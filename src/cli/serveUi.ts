import { type Clock, ok, type Result, systemClock } from '@weeder/kube-runtime/base';
import type { InspectionEvent } from 'xstate';
import type { BindAddress } from '../base/listen.ts';
import type { Logger } from '../base/log.ts';
import type { ProcessControllers, Report } from '../controllers/controllers.ts';
import type { Manager } from '../process/manager.ts';
import type { ReportProcess } from '../process/processLog.ts';
import type { ProcessFacts } from '../ui/views/processView.ts';

/** The flags of `demo` and `replay` for the live page. */
export interface UiFlags {
  readonly ui?: boolean;
  readonly uiBindAddr?: BindAddress | 'none';
}

/** The live page of a running weeder. */
export interface ServedUi {
  readonly url: string;
  readonly report: Report;
  readonly reportProcess: ReportProcess;
  readonly inspect: (event: InspectionEvent) => void;
  /** Shows this manager on the page from now on. */
  watch(manager: Manager<ProcessControllers>): void;
  /** The number of open pages. */
  viewers(): number;
  close(): Promise<void>;
}

/** Default: the live page of a weeder that acts, in real time. */
interface UiOptions {
  /** The time that the page shows. */
  readonly clock?: Clock;
  /** How fast that time passes, as a multiple of real time. */
  readonly speed?: number;
  readonly isDryRun?: boolean;
  readonly process?: () => ProcessFacts;
}

/** Serves the live page at this address, if there is one. */
export async function serveUi(
  address: BindAddress | 'none',
  logger: Logger,
  { clock = systemClock, speed = 1, isDryRun = false, process }: UiOptions = {},
): Promise<Result<ServedUi | undefined>> {
  if (address === 'none') return ok(undefined);
  // The code is loaded only if the page is served.
  const { createLivePage } = await import('../ui/livePage.ts');
  const { pageSourceOf } = await import('../ui/pageSource.ts');
  const { serveLivePage } = await import('../ui/serve.ts');
  const onBroken = (error: unknown, page?: string) => logger.error({ err: error, page }, 'internal error: page failed');
  const live = createLivePage({
    clock,
    pace: systemClock,
    speed,
    isDryRun,
    onBroken,
    ...(process === undefined ? {} : { process }),
  });
  const onRefused = (error: Error) => logger.warn({ cause: error.message }, 'the live page cannot accept a connection');
  const served = await serveLivePage(address, { live, onBroken, onRefused });
  if (!served.ok) return served;
  const { url, close } = served.value;
  const watch = (manager: Manager<ProcessControllers>) => live.watch(pageSourceOf(manager));
  return ok({ ...live, watch, url, close, viewers: () => live.load().pages });
}

/** The address of the page for a verb that serves it on request: `--ui` alone has a default address. */
export function uiAddressOf({ ui, uiBindAddr }: UiFlags): BindAddress | 'none' {
  return uiBindAddr ?? (ui === true ? { host: undefined, port: 9645 } : 'none');
}
