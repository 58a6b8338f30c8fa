import { arrayOf, isObject, type JsonObject, objectOf, textOf, truncate } from '@weeder/kube-runtime/base';
import { isAtLeast } from '@weeder/kube-runtime/objects';
import { labelName } from '../objects/fieldManagers.ts';
import type { Json } from '../objects/identity.ts';
import type { Drift, Projection } from '../objects/projection.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';

/** The last observed version of an object. */
export interface Found {
  readonly uid: string;
  readonly resourceVersion: string;
  /** It has a `deletionTimestamp`. */
  readonly isTerminating: boolean;
  /** The value of the ownership label; undefined if it has none. */
  readonly label: string | undefined;
  /** Why the kind that it defines is not served; '' for any other object, and if the kind is served. */
  readonly unserved: string;
  /** The whole object; undefined once it is in the desired state, or among too many that are not, to save memory. */
  readonly object: JsonObject | undefined;
  /** The last comparison; undefined before the first. */
  readonly compared: Compared | undefined;
}

/** What an object was compared with, and the differences. */
interface Compared {
  readonly plan: ResourcePlan;
  readonly baseline: Projection;
  readonly drifts: readonly Drift[];
}

/** A version of an object, and what it was equal to. */
interface Settled extends Omit<Compared, 'drifts' | 'plan'> {
  readonly uid: string;
  readonly resourceVersion: string;
  /** Of the plan. */
  readonly hash: string;
}

/** A correction that was made. */
interface Correction {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly drifts: readonly Drift[];
  readonly conflictingManager: string | undefined;
}

/** What is known of the object of a resource, and what it is compared with. */
export interface Live {
  /**
   * `unknown`: a GET is needed. `lost`: the stream no longer has it, which may mean a lost label; a GET is needed.
   * `missing`: it does not exist.
   */
  readonly found: Found | 'unknown' | 'lost' | 'missing';
  /** The resourceVersion of weeder's last write: older versions are ignored. */
  readonly writtenVersion: string | undefined;
  /** The value of its ownership label, if no application has that label. */
  readonly staleLabel: string | undefined;
  /** The desired state of its observed fields. Undefined until it is known. */
  readonly baseline: Projection | undefined;
  /**
   * By path: values that the API server has filled in for fields that the schema lists and the manifest does not have.
   */
  readonly initialised: ReadonlyMap<string, Json>;
  readonly drifts: readonly Drift[];
  /** The last version of the object that was equal to the baseline; undefined if there was none. */
  readonly settled: Settled | undefined;
  /** By the monotonic clock: when the current drift was detected. */
  readonly driftedAt: number | undefined;
  /** The newest corrections, the oldest first. */
  readonly corrections: readonly Correction[];
}

/** Returns what is known before anything was read. `initialised` is from the status. */
export function unread(initialised: Live['initialised']): Live {
  return {
    found: 'unknown',
    writtenVersion: undefined,
    staleLabel: undefined,
    baseline: undefined,
    initialised,
    drifts: [],
    settled: undefined,
    driftedAt: undefined,
    corrections: [],
  };
}

/** Returns the object if one was found. */
export function foundOf({ found }: Live): Found | undefined {
  return typeof found === 'object' ? found : undefined;
}

/** Returns true if every observed field is in the desired state, and the object is not being deleted. */
export function isInSync(live: Live): boolean {
  return foundOf(live)?.isTerminating === false && live.baseline !== undefined && live.drifts.length === 0;
}

/** Returns undefined if the object is older than the known version or than weeder's own last write. */
export function afterRead(live: Live, object: JsonObject): Live | undefined {
  const liveObject = readFound(object);
  if (liveObject === undefined || !isAtLeast(liveObject.resourceVersion, live.writtenVersion)) return undefined;
  const previous = foundOf(live);
  const isStale = previous?.uid === liveObject.uid && !isAtLeast(liveObject.resourceVersion, previous.resourceVersion);
  return isStale ? undefined : { ...live, found: liveObject };
}

function readFound(object: JsonObject): Found | undefined {
  const { uid, resourceVersion, deletionTimestamp, labels } = objectOf(object['metadata']);
  const [objectUid, version] = [textOf(uid), textOf(resourceVersion)];
  if (objectUid === undefined || version === undefined) return undefined;
  return {
    uid: objectUid,
    resourceVersion: version,
    isTerminating: textOf(deletionTimestamp) !== undefined,
    label: isObject(labels) ? textOf(labels[labelName]) : undefined,
    unserved: whyUnserved(object),
    object,
    compared: undefined,
  };
}

/** Returns what the conditions of a CustomResourceDefinition say, for instance that another one has its names. */
function whyUnserved({ kind, apiVersion, status }: JsonObject): string {
  if (kind !== 'CustomResourceDefinition' || apiVersion !== 'apiextensions.k8s.io/v1') return '';
  const failing = arrayOf(objectOf(status)['conditions'])
    .map(objectOf)
    .find((each) => (each['type'] === 'NamesAccepted' || each['type'] === 'Established') && each['status'] === 'False');
  return failing === undefined ? '' : truncate(`${failing['type']} is False: ${textOf(failing['message'])}`, 256);
}
