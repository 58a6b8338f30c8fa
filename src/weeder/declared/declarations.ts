import type { Clock } from '@weeder/kube-runtime/base';
import type { ObjectRef } from '@weeder/kube-runtime/events';
import { partsOf, uidOf } from '@weeder/kube-runtime/objects';
import type { LineMetadata, ObjectSink } from '@weeder/kube-runtime/watch';
import { readMetadataHead } from '@weeder/kube-runtime/watch';
import { lastingName, workloadOf } from '../pods/workloadOf.ts';
import { createClaimCounts, maxServices } from './claimCounts.ts';
import { type Claim, createClaims } from './claims.ts';
import { type Declaration, declarationOf, maxListed, type Written, writtenOn } from './declaration.ts';
import { isSame, isWrittenIn } from './unchanged.ts';

/** What the pods with the label declare. Of a pod it keeps only its uid and what it has written. */
interface Declarations {
  /** Returns a sink that takes the declarations from what a stream delivers, and passes everything on. */
  beside(stream: string, sink: ObjectSink): ObjectSink;
  /** The stream delivers nothing more. After the last one everything is forgotten. */
  closed(stream: string): void;
  claims(): Iterable<Claim>;
  /** Forgets everything. */
  stop(): void;
}

interface DeclarationsOptions {
  readonly clock: Clock;
  /** How long a claim is kept after its last pod, in milliseconds: weeder itself deletes pods that declare it. */
  readonly keepFor: () => number;
  readonly isNamespaceWatched: (namespace: string) => boolean;
  /** A claim is new, or was forgotten. */
  readonly onChanged: () => void;
  /** A stream has delivered its complete list. */
  readonly onListed: () => void;
}

interface SeenPod {
  readonly stream: string;
  /** Undefined: it is too long to be stored, and is read again with each change of the pod. */
  readonly written: Written | undefined;
  /** The number of the complete list of the stream that last contained the pod. */
  list: number;
}

interface KnownPod extends SeenPod {
  readonly claims: readonly string[];
}

/** A pod with services that exceed the limit of its namespace, as long as they do. */
interface Excess {
  readonly workload: ObjectRef;
  readonly declaration: Declaration;
  readonly services: readonly string[];
}

const limit = `the pods of one namespace may declare at most ${maxServices} services`;
/** Of an annotation. Characters. */
const longestStored = 1024;

export function createDeclarations(options: DeclarationsOptions): Declarations {
  const { clock, isNamespaceWatched, onChanged, onListed } = options;
  /** By uid. */
  const pods = new Map<string, KnownPod>();
  /** By uid of the pod. */
  const excesses = new Map<string, Excess>();
  /** By stream: the number of its newest complete list. */
  const lists = new Map<string, number>();
  const counts = createClaimCounts();
  const claims = createClaims({
    clock,
    keepFor: options.keepFor,
    onForgotten(claim) {
      counts.remove(claim);
      onChanged();
      takeExcess(claim.workload.namespace);
    },
  });

  function admit(about: Claim['about'], workload: ObjectRef): Claim | undefined {
    if ('problem' in about && !counts.hasRoomForProblem(workload.namespace)) return undefined;
    const claim = { workload, about, since: clock.monotonic(), isReviewed: false };
    counts.add(claim);
    onChanged();
    return claim;
  }

  /** Returns the keys of the claims that a pod of the workload makes from now on, and the services that exceed the limit. */
  function holdAll({ services, labelled, problems, furtherProblems }: Declaration, workload: ObjectRef) {
    const prefix = lastingName(workload);
    const hold = (key: string, about: Claim['about']) =>
      claims.hold(`${prefix} ${key}`, about, () => admit(about, workload)) ?? [];
    const unseen = services.filter((service) => !isNamespaceWatched(partsOf(service).namespace));
    const excess: string[] = [];
    const keys = services.flatMap((service) => {
      if (unseen.includes(service)) return [];
      if (counts.hasRoomFor(workload.namespace, service))
        return hold(service, { service, by: service === labelled ? 'label' : 'annotation' });
      excess.push(service);
      return [];
    });
    const messages = [
      ...problems,
      ...unseen.map((service) => `${service} cannot be seen: weeder does not watch this namespace`),
      ...excess.map((service) => `${service} is ignored: ${limit}`),
    ];
    const problem = joined(messages, furtherProblems);
    return { claims: messages.length === 0 ? keys : [...keys, hold(problem, { problem })].flat(), excess };
  }

  function forget(uid: string): void {
    const declared = pods.get(uid);
    pods.delete(uid);
    excesses.delete(uid);
    for (const key of declared?.claims ?? []) claims.release(key);
  }

  function take(stream: string, uid: string, pod: unknown, written: Written): void {
    const list = lists.get(stream) ?? 0;
    const declared = pods.get(uid);
    if (declared?.written !== undefined && isSame(declared.written, written)) {
      declared.list = list;
      return;
    }
    const isLong = (written.annotation?.length ?? 0) > longestStored;
    const workload = workloadOf(pod);
    const declaration = declarationOf(written, workload.namespace);
    put(uid, workload, declaration, { stream, written: isLong ? undefined : written, list });
  }

  function put(uid: string, workload: ObjectRef, declaration: Declaration, { stream, written, list }: SeenPod): void {
    const { claims: held, excess } = holdAll(declaration, workload);
    // The claims that both versions make are held throughout.
    forget(uid);
    pods.set(uid, { stream, written, claims: held, list });
    if (excess.length > 0) excesses.set(uid, { workload, declaration, services: excess });
  }

  /** Room may have become free in the namespace: the pods that exceed the limit take it. */
  function takeExcess(namespace: string): void {
    for (const [uid, { workload, declaration, services }] of [...excesses]) {
      const pod = pods.get(uid);
      const hasRoom = services.some((service) => counts.hasRoomFor(namespace, service));
      if (pod !== undefined && workload.namespace === namespace && hasRoom) put(uid, workload, declaration, pod);
    }
  }

  /** A line of a known pod that repeats what it has written. A list that contains the line contains the pod. */
  function isRepeated(line: Buffer, { uid, type }: LineMetadata): boolean {
    const declared = pods.get(uid);
    if (declared?.written === undefined || type === 'DELETED' || !isWrittenIn(line, declared.written)) return false;
    declared.list = lists.get(declared.stream) ?? 0;
    return true;
  }

  /**
   * Takes what a pod has written from the beginning of its line, since a pod that does not crash-loop is not parsed
   * otherwise. False: the line has to be parsed.
   */
  function takeHead(stream: string, line: Buffer, about: LineMetadata): boolean {
    const pod = about.type === 'DELETED' ? undefined : readMetadataHead(line, about);
    const written = writtenOn(pod);
    if (pod === undefined || written === undefined) return false;
    // The uid of the line's metadata would keep the whole beginning of the line in memory.
    take(stream, uidOf(pod), pod, written);
    return true;
  }

  function forgetStream(stream: string, isGone: (pod: KnownPod) => boolean): void {
    for (const [uid, pod] of pods) if (pod.stream === stream && isGone(pod)) forget(uid);
  }

  function closed(stream: string): void {
    if (!lists.delete(stream)) return;
    forgetStream(stream, () => true);
    if (lists.size === 0) claims.clear();
  }

  return {
    beside(stream, sink) {
      lists.set(stream, 0);
      return {
        ...sink,
        begin() {
          sink.begin();
          const list = lists.get(stream);
          if (list !== undefined) lists.set(stream, list + 1);
        },
        apply(type, object) {
          sink.apply(type, object);
          if (!lists.has(stream)) return;
          const uid = uidOf(object);
          const written = type === 'DELETED' ? undefined : writtenOn(object);
          if (written === undefined) forget(uid);
          else take(stream, uid, object, written);
        },
        end(resourceVersion) {
          sink.end(resourceVersion);
          const list = lists.get(stream);
          if (list === undefined) return;
          forgetStream(stream, (pod) => pod.list !== list);
          onListed();
        },
        isIrrelevant: (line, metadata) =>
          sink.isIrrelevant?.(line, metadata) === true &&
          (!lists.has(stream) || isRepeated(line, metadata) || takeHead(stream, line, metadata)),
      };
    },
    closed,
    claims: () => claims.all(),
    stop() {
      for (const stream of [...lists.keys()]) closed(stream);
    },
  };
}

/** `further`: how many there are in addition. */
function joined(problems: readonly string[], further: number): string {
  const more = Math.max(0, problems.length - maxListed) + further;
  return [...problems.slice(0, maxListed), ...(more === 0 ? [] : [`and ${more} more`])].join('; ');
}
