import type { InspectionEvent } from 'xstate';
import { type Clock, systemClock } from '../base/clock.ts';
import { ok, type Result } from '../base/errors.ts';
import type { BindAddress } from '../base/http.ts';
import type { Logger } from '../base/log.ts';
import type { ReportObserver } from '../observer/model/facts.ts';
import type { ReportProcess } from '../process/processLog.ts';
import type { ReportRestart } from '../restart/model/events.ts';
import type { PageSource } from '../ui/actorTree.ts';
import type { ReportWeeder } from '../weeder/deletions/weederEvents.ts';

/** What `demo` and `replay` are told of it. */
interface UiFlags {
  readonly ui?: boolean;
  readonly uiBindAddr?: BindAddress | 'none';
}

/** The live page of a weeder at work. */
export interface ServedUi {
  readonly url: string;
  readonly report: ReportWeeder;
  readonly reportRestart: ReportRestart;
  readonly reportObserver: ReportObserver;
  readonly reportProcess: ReportProcess;
  readonly inspect: (event: InspectionEvent) => void;
  /** From now on this is what the page shows. */
  watch(source: PageSource): void;
  /** How many pages are open. */
  viewers(): number;
  close(): Promise<void>;
}

/** Serves the live page at this address, if there is one. `clock` is the time that it shows, `speed` how fast that goes on. */
/** Default: a live page of a weeder that acts, in real time. */
interface UiOptions {
  readonly clock?: Clock;
  readonly speed?: number;
  readonly isDryRun?: boolean;
}

export async function serveUi(
  address: BindAddress | 'none',
  logger: Logger,
  { clock = systemClock, speed = 1, isDryRun = false }: UiOptions = {},
): Promise<Result<ServedUi | undefined>> {
  if (address === 'none') return ok(undefined);
  // A controller without a page does not carry it in its memory.
  const [{ createLivePage }, { serveLivePage }] = await Promise.all([
    import('../ui/livePage.ts'),
    import('../ui/serve.ts'),
  ]);
  const onBroken = (error: unknown, page?: string) => logger.error({ err: error, page }, 'internal error: page failed');
  const live = createLivePage({ clock, pace: systemClock, speed, isDryRun, onBroken });
  const served = await serveLivePage(address, { live, onBroken });
  if (!served.ok) return served;
  const { url, close } = served.value;
  return ok({ ...live, url, close, viewers: () => live.load().pages });
}

/** Where a verb that offers the page on demand serves it: `--ui` alone has an address of its own. */
export function uiAddressOf({ ui, uiBindAddr }: UiFlags): BindAddress | 'none' {
  return uiBindAddr ?? (ui === true ? { host: undefined, port: 9645 } : 'none');
}
