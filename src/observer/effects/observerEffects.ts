import type { ActorRuntime } from '../../actors/actorRuntime.ts';
import type { AllowedResources } from '../../config/schema/allowedResources.ts';
import type { Schedule } from '../../queue/schedule.ts';
import type { ReportObserver } from '../model/events.ts';
import type { HashManifest } from '../plan/manifestHash.ts';
import type { ResourceApi, RestMapper } from '../plan/resourceApi.ts';
import type { Access } from '../state/access.ts';
import type { ApplicationEntry, ResourceEntry } from '../state/entries.ts';
import type { ApplicationApi } from '../status/applicationApi.ts';
import type { StatusWriter } from '../status/statusWriter.ts';
import type { OwnershipClaims } from './ownershipClaims.ts';
import type { RequestSemaphore } from './requestSemaphore.ts';
import type { ResourceStreams } from './resourceStreams.ts';
import type { ServiceAccounts } from './serviceAccounts.ts';

/** What the machines of the observer need of the world. */
export interface ObserverEffects {
  readonly runtime: ActorRuntime;
  readonly api: ResourceApi;
  readonly restMapper: RestMapper;
  readonly applications: ApplicationApi;
  readonly access: Access;
  readonly serviceAccounts: ServiceAccounts;
  readonly claims: OwnershipClaims;
  readonly streams: ResourceStreams;
  /** For what changes the cluster. */
  readonly writes: RequestSemaphore;
  /** For trials of what is desired, so that a start keeps no correction waiting. */
  readonly dryRuns: RequestSemaphore;
  /** For re-baselining, so that it does not delay a start. */
  readonly rebaselines: RequestSemaphore;
  readonly rebaselineSchedule: Schedule;
  readonly status: StatusWriter;
  readonly report: ReportObserver;
  /** What Applications may hold, by the config of now. */
  readonly allow: () => AllowedResources;
  readonly hashManifest: HashManifest;
  /** From 0 to 1, for jitter. */
  readonly random: () => number;
  readonly isDryRun: boolean;
  /** Applications that name no account are applied with weeder's own rights. */
  readonly mayUseOwnRights: boolean;
  readonly entryOf: (application: string) => ApplicationEntry | undefined;
  readonly resourceOf: (application: string, resource: string) => ResourceEntry | undefined;
}
