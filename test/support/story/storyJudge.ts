import { type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { isObserved } from '../../../src/observer/entries/entries.ts';
import type { ObserverCore } from '../../../src/observer/observerCore.ts';
import { type Content, contentOf } from '../oracle/plainObserver.ts';
import { violationsOfWrite } from '../oracle/plainWrites.ts';
import type { ApiCall, RequestListener } from '../world/simulatedServer.ts';
import { desiredOf, type Generation, type StoryApplication } from './storyApplications.ts';
import { type Refusal, storyApplied } from './storyApplied.ts';
import {
  idOf,
  isApplication,
  isApply,
  isMarked,
  isSame,
  isTakeOver,
  keyOf,
  labelBy,
  labelOf,
  ownerOf,
  requestOf,
} from './storyCalls.ts';
import type { StoryResource } from './storyManifests.ts';
import { type StoryWriters, storyWriters, uidOf } from './storyWriters.ts';

/** How long requests in progress may continue after their application has changed: milliseconds. */
const grace = 150_000;
/** Writes so shortly before the end of a creation or an update may be overwritten: their order is not known. */
const overlap = 2_000;

const labelPath = 'metadata/labels/weeder.dev/application';
/** From one request of an adoption to the next one, at most: milliseconds. */
const betweenRequests = 500;

export interface JudgedWorld {
  now(): number;
  /** Epoch milliseconds. */
  time(): number;
  core(): ObserverCore | undefined;
  /** Of this name; undefined: none was ever made. */
  application(name: string): StoryApplication | undefined;
  /** Whether an application has this label that exists, or existed a moment ago. */
  isLabelInUse(label: string): boolean;
  /** The number of the newest weeder. */
  process(): number;
  /** When it was started. */
  startedAt(): number;
  log(line: string): void;
}

/** Checks each request as it is sent, and collects the violations. */
export interface Judge extends RequestListener {
  readonly violations: string[];
  /** The number of requests that changed anything, to resources and to applications. */
  readonly writes: number;
  readonly writers: StoryWriters;
  /** Uids of existing objects without an owner that an application took over. */
  readonly adopted: ReadonlySet<string>;
  /** Whether some application has ever applied anything to the object of this uid. */
  wasApplied(uid: string | undefined): boolean;
  /** The uid of the object that an application applied last, by its name and the key. */
  readonly applied: ReadonlyMap<string, string>;
  /** Keys of objects that a deletion left alone, and reported. */
  readonly skipped: Set<string>;
  /** The current process has applied it; or it no longer belongs to the application. */
  recordApplied(name: string, key: string, isApplied: boolean): void;
  /** The current process has corrected it. */
  corrected(name: string, key: string): void;
  /** While its newest manifest is permanently refused. */
  refusal(application: StoryApplication, key: string): Refusal | undefined;
}

/** A resource that left the manifests is deleted or released at the same time, in an order of its own. */
function isOfOtherStage(one: ApiCall, other: ApiCall): boolean {
  const areApplies = [one, other].every(({ request }) => request.contentType?.includes('apply-patch') === true);
  return areApplies && isLast(one) !== isLast(other);
}

/** Milliseconds for one of the several requests of a resource, if a resource is slow. */
const lateAfter = 300;
const longestAttempt = 15_000;

/** What runs containers is applied after everything else. */
function isLast(call: ApiCall): boolean {
  return keyOf(call).startsWith('Deployment/');
}

export function judge(world: JudgedWorld): Judge {
  const violations: string[] = [];
  const writers = storyWriters(world.now);
  const history = storyApplied(world.now);
  /** By the name of the application and the key: the object as it was last written. */
  const lastWritten = new Map<string, JsonObject>();
  /** The same: the last write has created it. */
  const created = new Set<string>();
  /** The same: the object when the fields of other clients were taken over, until the observed ones are applied. */
  const takenOver = new Map<string, Content>();
  const inFlight = new Set<ApiCall>();
  /** The number of all requests. */
  const sentAt = new Map<ApiCall, number>();
  /** When a late answer arrived. */
  let lastLateAt = Number.NEGATIVE_INFINITY;
  /** When the last late write ended, by application and API group, until a later write of it is prompt. */
  const lateWrites = new Map<string, number>();
  /** By application: the value of its label. */
  const labels = new Map<string, string>();
  const applied = new Map<string, string>();
  /** By application: the uid of each object to which it ever applied anything. */
  const everApplied = new Map<string, Set<string>>();
  const adopted = new Set<string>();
  let writes = 0;

  function violation(call: ApiCall, what: string): void {
    violations.push(`${world.now()} ${call.request.method} ${keyOf(call)} for ${ownerOf(call)}: ${what}`);
  }

  /**
   * A slow resource, over all of its requests, delays no other one: then stages and numbers overlap. The next write of an
   * application whose last one was slow is not awaited either, at any later time.
   */
  function isPrompt(application: string): boolean {
    const isLate = (at: number) => world.now() - at >= lateAfter;
    if ([...sentAt.values()].some(isLate) || world.now() - lastLateAt <= longestAttempt) return false;
    return ![...lateWrites.keys()].some((each) => each.startsWith(`${application} `));
  }

  function noteAnswer(call: ApiCall): void {
    const isLate = world.now() - (sentAt.get(call) ?? 0) >= lateAfter;
    if (isLate) lastLateAt = world.now();
    if (!call.isWrite || isApplication(call)) return;
    const { group = '' } = call.named?.resource ?? {};
    const id = `${ownerOf(call)} ${group}`;
    const late = lateWrites.get(id);
    if (isLate) lateWrites.set(id, world.now());
    // A prompt request soon after a late one may belong to the same attempt.
    else if (late !== undefined && world.now() - late > longestAttempt) {
      lateWrites.delete(id);
      // The attempt that it belongs to began as a slow one.
      lastLateAt = world.now();
    }
  }

  /** The states of its machines at the moment of the request. */
  function judgeSending(call: ApiCall): void {
    const entry = [...(world.core()?.entries() ?? [])].find(({ about }) => about.name === ownerOf(call));
    if (entry === undefined) return;
    const state = entry.actor.getSnapshot().value;
    const others = [...inFlight].filter((each) => each.process === call.process && ownerOf(each) === ownerOf(call));
    const about = ownerOf(call);
    const observed = [...entry.resources.values()].filter(isObserved);
    const checks = [
      [others.some((each) => keyOf(each) === keyOf(call)), 'another write of the object is in flight'],
      [state === 'validating' || state === 'paused' || state === 'invalid', `written while ${String(state)}`],
      [isPrompt(about) && state === 'applying' && others.length >= 16, 'too many writes while it is applied'],
      [
        isPrompt(about) && state === 'applying' && others.some((each) => isOfOtherStage(each, call)),
        'two stages at once',
      ],
      [state !== 'observing' && observed.length > 0, `observed while ${String(state)}`],
      [entry.isDetectOnly && typeof state !== 'object', 'written in mode detect'],
    ] as const;
    for (const [isWrong, what] of checks) if (isWrong) violation(call, what);
  }

  /** The possible states of knowledge at the time of the decision. */
  function recent({ generations }: StoryApplication): Generation[] {
    return generations.filter((_, index) => (generations[index + 1]?.at ?? world.now()) >= world.now() - grace);
  }

  function judgeWrite(call: ApiCall, before: JsonObject | undefined, after: JsonObject | undefined): void {
    const application = world.application(ownerOf(call));
    const generations = application === undefined ? [] : recent(application);
    const isDesired = generations.every(({ isDeleted, resources }) => !isDeleted && resources.has(keyOf(call)));
    judgeTiming(call, before, generations);
    judgeDeletion(call, before, after);
    if (after === undefined) {
      if (isDesired) violation(call, 'deleted, although it is desired');
      if (generations.every(({ policy }) => policy === 'orphan'))
        violation(call, 'deleted, although the policy is orphan');
    } else if (application !== undefined) judgeContent(application, call, before, after, generations, isDesired);
  }

  /** A deleted or released object was applied by the application, by its uid, and a deleted one has its label. */
  function judgeDeletion(call: ApiCall, before: JsonObject | undefined, after: JsonObject | undefined): void {
    if (after !== undefined && isMarked(after)) return;
    // Stale marks are removed by an application that has the object among its manifests.
    if (after !== undefined && !world.isLabelInUse(labelOf(before) ?? '')) return;
    if (everApplied.get(ownerOf(call))?.has(uidOf(before) ?? '') !== true)
      violation(call, 'deleted or released, although the application has never applied it');
    if (labelOf(before) === undefined) violation(call, 'deleted or released without its label');
  }

  /** Whether anything may be written at all. */
  function judgeTiming(call: ApiCall, before: JsonObject | undefined, generations: readonly Generation[]): void {
    const label = labelOf(before);
    const own = labelBy(call) ?? labels.get(ownerOf(call));
    if (own !== undefined) labels.set(ownerOf(call), own);
    const isPaused = ({ pausedUntil = 0, isDeleted }: Generation) => !isDeleted && pausedUntil >= world.time();
    const isAnothers = label !== undefined && label !== own && world.isLabelInUse(label);
    // A write between two requests of one adoption is overwritten: the second request has no resourceVersion.
    if (isAnothers && !writers.isFresh(before, labelPath, betweenRequests))
      violation(call, 'written, although it belongs to another application');
    if (generations.every(({ mode, isDeleted }) => mode === 'detect' && !isDeleted))
      violation(call, 'written in mode detect');
    if (generations.every(isPaused)) violation(call, 'written while paused');
  }

  function judgeContent(
    application: StoryApplication,
    call: ApiCall,
    before: JsonObject | undefined,
    after: JsonObject,
    generations: readonly Generation[],
    isDesired: boolean,
  ): void {
    const was = contentOf(before);
    if (!isDesired && isReleased(was, contentOf(after))) return;
    const newest = generations.flatMap(({ resources }) => resources.get(keyOf(call)) ?? []);
    const possible = [
      ...newest,
      ...newest.flatMap((each) => history.refusal(application, idOf(call), call.process, each)?.lastApplied ?? []),
    ];
    const failed = possible.map((resource) => violationsAgainst(application, resource, call, was, after));
    const [least = ['it is not a resource of the application']] = failed.toSorted((a, b) => a.length - b.length);
    if (least.length > 0) violation(call, least.join('; '));
  }

  function violationsAgainst(
    application: StoryApplication,
    resource: StoryResource,
    call: ApiCall,
    before: Content,
    after: JsonObject,
  ): string[] {
    const key = keyOf(call);
    const { generations } = application;
    const index = generations.findLastIndex(({ resources }) => resources.get(key) === resource);
    const resourcesOf = (some: readonly Generation[]) => some.flatMap(({ resources }) => resources.get(key) ?? []);
    const earlier = resourcesOf(generations.slice(0, index));
    const refused = resourcesOf(generations.slice(index + 1)).filter(
      (each) => history.refusal(application, idOf(call), call.process, each) !== undefined,
    );
    const isInit = textOf(call.request.query?.['fieldManager'])?.startsWith('weeder-init:') === true;
    return violationsOfWrite(before, contentOf(after), desiredOf(resource), {
      earlier: earlier.map(desiredOf),
      refused: refused.map(desiredOf),
      isOwnField: (path) => writers.of(after, path) === ownerOf(call),
      hasSeen: (path) => writers.hasSeen(after, path),
      knowsApplied: history.knows(application, idOf(call), call.process, resource),
      takenOver: takenOver.get(idOf(call)),
      isAtOnce: (path) => isInit && writers.isFresh(after, path, overlap),
      isRaced: (element) => writers.isFresh(after, element, overlap),
    });
  }

  function noteContent(call: ApiCall, before: JsonObject | undefined, after: JsonObject | undefined): void {
    if (after !== undefined) lastWritten.set(idOf(call), after);
    if (before === undefined) created.add(idOf(call));
    else created.delete(idOf(call));
  }

  function noteOwner(call: ApiCall, before: JsonObject | undefined, after: JsonObject | undefined): void {
    const uid = uidOf(after);
    if (uid !== undefined && isApply(call)) {
      const uids = everApplied.get(ownerOf(call)) ?? new Set();
      everApplied.set(ownerOf(call), uids.add(uid));
    }
    if (uid !== undefined && before !== undefined && labelOf(before) === undefined) adopted.add(uid);
    if (uid !== undefined && labelOf(after) !== undefined) applied.set(idOf(call), uid);
    else applied.delete(idOf(call));
  }

  return {
    violations,
    writers,
    applied,
    adopted,
    skipped: new Set(),
    get writes() {
      return writes;
    },
    wasApplied: (uid = '') => [...everApplied.values()].some((uids) => uids.has(uid)),
    recordApplied(name, key, isApplied) {
      const id = `${name} ${key}`;
      const application = world.application(name);
      if (isApplied && application !== undefined)
        history.applied(id, world.process(), recent(application), lastWritten.get(id), created.has(id));
      else history.forgotten(id);
    },
    corrected: (name, key) => history.corrected(`${name} ${key}`, lastWritten.get(`${name} ${key}`)),
    refusal(application, key) {
      const newest = application.generations.at(-1)?.resources.get(key);
      if (newest === undefined) return undefined;
      return history.refusal(application, `${application.name} ${key}`, world.process(), newest);
    },
    sent(call) {
      history.noteProcess(call.process, world.startedAt());
      sentAt.set(call, world.now());
      if (!call.isWrite || isApplication(call)) return;
      const { request } = call;
      const { uid, resourceVersion } = objectOf(objectOf(request.body)['preconditions']);
      const isUncertain = textOf(uid) === undefined || textOf(resourceVersion) === undefined;
      if (request.method === 'DELETE' && isUncertain) violation(call, 'deleted without its uid and version');
      if (request.impersonate === undefined) violation(call, 'written with weeder’s own rights');
      judgeSending(call);
      inFlight.add(call);
    },
    done(call, before, after) {
      history.accepted(idOf(call), requestOf(call));
      if (isSame(before, after)) return;
      writes += 1;
      const manager = textOf(call.request.query?.['fieldManager'])?.split(':')[0] ?? '';
      world.log(`${world.now()} ${call.request.method} ${keyOf(call)} ${manager} by process ${call.process}`);
      if (isApplication(call)) return;
      if (isTakeOver(call)) takenOver.set(idOf(call), contentOf(before));
      noteContent(call, before, after);
      // All fields of a new object belong to its first writer.
      judgeWrite(call, before ?? after, after);
      writers.note(before, after, ownerOf(call));
      if (!isMarked(after)) writers.removeLabel(after, ownerOf(call));
      noteOwner(call, before, after);
      if (manager === 'weeder' && !isTakeOver(call)) takenOver.delete(idOf(call));
    },
    refusedPermanently(call) {
      if (!isApplication(call)) history.refused(idOf(call), requestOf(call));
    },
    answered(call) {
      inFlight.delete(call);
      noteAnswer(call);
      sentAt.delete(call);
    },
  };
}

/** Its content is unchanged. */
function isReleased(before: Content, after: Content): boolean {
  const bare = ({ fields }: Content) => JSON.stringify([...fields].filter(([path]) => !path.includes('weeder.dev/')));
  return bare(before) === bare(after);
}
