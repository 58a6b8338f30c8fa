import type { Schedule } from '@weeder/kube-runtime/queue';
import type { ActorRuntime } from '../../actors/actorRuntime.ts';
import type { Random } from '../../actors/effect.ts';
import type { MaintenanceWindow } from '../../config/maintenance.ts';
import type { AllowedResources } from '../../config/schema/allowedResources.ts';
import type { Access } from '../entries/access.ts';
import type { ApplicationEntry } from '../entries/entries.ts';
import type { ReportObserver } from '../objects/events.ts';
import type { HashManifest } from '../plan/manifestHash.ts';
import type { ResourceApi, RestMapper } from '../plan/resourceApi.ts';
import type { ApplicationApi } from '../status/applicationApi.ts';
import type { StatusWriter } from '../status/statusWriter.ts';
import type { OwnershipClaims } from './ownershipClaims.ts';
import type { RequestSemaphore } from './requestSemaphore.ts';
import type { ResourceStreams } from './resourceStreams.ts';
import type { Resources } from './resources.ts';
import type { ServiceAccounts } from './serviceAccounts.ts';

/** The effects of the observer's machines. */
export interface ObserverEffects {
  readonly runtime: ActorRuntime;
  readonly api: ResourceApi;
  readonly restMapper: RestMapper;
  readonly applications: ApplicationApi;
  readonly access: Access;
  readonly serviceAccounts: ServiceAccounts;
  readonly claims: OwnershipClaims;
  readonly streams: ResourceStreams;
  readonly resources: Resources;
  /** For requests that change the cluster. */
  readonly writes: RequestSemaphore;
  /** For dry runs that find the desired state. They have their own limit so that a start does not delay corrections. */
  readonly dryRuns: RequestSemaphore;
  /** For dry runs that renew baselines. They have their own limit so that they do not delay a start. */
  readonly rebaselines: RequestSemaphore;
  readonly rebaselineSchedule: Schedule;
  readonly status: StatusWriter;
  readonly report: ReportObserver;
  /** The resources that Applications may have, by the current config. */
  readonly allow: () => AllowedResources;
  /** In which drift is corrected, by the current config. */
  readonly maintenanceWindows: () => readonly MaintenanceWindow[];
  /** How long a removal waits for an application that takes the object over, by the current config. Milliseconds. */
  readonly pruneDelay: () => number;
  readonly hashManifest: HashManifest;
  readonly random: Random;
  readonly isDryRun: boolean;
  /** Applications without a ServiceAccount are applied with weeder's own permissions. */
  readonly mayUseOwnRights: boolean;
  readonly entryOf: (application: string) => ApplicationEntry | undefined;
  readonly allEntries: () => Iterable<ApplicationEntry>;
}
