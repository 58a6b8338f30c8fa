import type { ActorRuntime } from '../actorRuntime.ts';
import type { Access } from './access.ts';
import type { Accounts } from './accounts.ts';
import type { ApplicationApi } from './applicationApi.ts';
import type { ApplicationEntry } from './applicationEntry.ts';
import type { Claims } from './claims.ts';
import type { ReportObserver } from './facts.ts';
import type { HashManifest } from './manifestHash.ts';
import type { Places } from './places.ts';
import type { Kinds, ResourceApi } from './resourceApi.ts';
import type { ResourceEntry } from './resourceEntry.ts';
import type { ResourceStreams } from './resourceStreams.ts';
import type { StatusWriter } from './statusWriter.ts';
import type { Turns } from './turns.ts';

/** What the machines of the observer need of the world. */
export interface ObserverEffects {
  readonly runtime: ActorRuntime;
  readonly api: ResourceApi;
  readonly kinds: Kinds;
  readonly applications: ApplicationApi;
  readonly access: Access;
  readonly accounts: Accounts;
  readonly claims: Claims;
  readonly streams: ResourceStreams;
  /** For what changes the cluster. */
  readonly slots: Places;
  /** For trials of what is wanted, so that a start keeps no correction waiting. */
  readonly trials: Places;
  /** For those that are made time and again, so that they keep no start waiting. */
  readonly retrials: Places;
  readonly turns: Turns;
  readonly status: StatusWriter;
  readonly report: ReportObserver;
  readonly hashManifest: HashManifest;
  /** From 0 to 1, for jitter. */
  readonly random: () => number;
  readonly isDryRun: boolean;
  /** Applications that name no account are applied with weeder's own rights. */
  readonly mayUseOwnRights: boolean;
  readonly entryOf: (application: string) => ApplicationEntry | undefined;
  readonly resourceOf: (application: string, resource: string) => ResourceEntry | undefined;
}
