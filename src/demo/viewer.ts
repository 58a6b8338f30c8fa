import type { ProcessControllers, Report } from '../controllers/controllers.ts';
import type { Manager, ManagerOptions } from '../process/manager.ts';

/** Observes weeder and the objects that it manages. */
export interface Viewer extends Pick<ManagerOptions, 'inspect' | 'reportProcess'> {
  readonly report: Report;
  watch(manager: Manager<ProcessControllers>): void;
  /** The demo begins when the promise resolves. */
  readonly isReady: () => Promise<void>;
}
