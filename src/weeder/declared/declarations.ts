import type { Clock } from '../../base/clock.ts';
import { objectOf, textOf } from '../../base/json.ts';
import { namespaceOf } from '../../kube/objects/identity.ts';
import type { LineMetadata } from '../../kube/watch/metadataFastPath.ts';
import type { ObjectSink } from '../../kube/watch/sink.ts';
import { lastingName, workloadOf } from '../pods/workloadOf.ts';
import { createClaimCounts, mostServices } from './claimCounts.ts';
import { type Claim, createClaims } from './claims.ts';
import {
  type Declaration,
  declarationOf,
  dependsOn,
  dependsOnServices,
  type Written,
  writtenOn,
} from './declaration.ts';

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

interface KnownPod {
  readonly stream: string;
  readonly written: Written;
  readonly claims: readonly string[];
  /** The number of the complete list of the stream that last contained the pod. */
  list: number;
}

/** Characters. A longer annotation is read again each time, and not stored. */
const longestStored = 4096;

export function createDeclarations(options: DeclarationsOptions): Declarations {
  const { clock, isNamespaceWatched, onChanged, onListed } = options;
  /** By uid. */
  const pods = new Map<string, KnownPod>();
  /** By stream: the number of its newest complete list. */
  const lists = new Map<string, number>();
  const counts = createClaimCounts();
  const claims = createClaims({
    clock,
    keepFor: options.keepFor,
    onForgotten(claim) {
      counts.remove(claim);
      onChanged();
    },
  });

  function admit(about: Claim['about'], pod: unknown): Claim | undefined {
    const workload = workloadOf(pod);
    if ('problem' in about && !counts.hasRoomForProblem(workload.namespace)) return undefined;
    const claim = { workload, about, since: clock.monotonic(), isReviewed: false };
    counts.add(claim);
    onChanged();
    return claim;
  }

  /** Returns the keys of the claims that the pod makes from now on. */
  function holdAll({ services, problems }: Declaration, namespace: string, pod: unknown): string[] {
    const prefix = lastingName(workloadOf(pod));
    const found = [...problems];
    const keys = services.flatMap((service) => {
      const reason = refusalOf(service, namespace);
      if (reason !== undefined) found.push(`${service} ${reason}`);
      return reason === undefined ? (claims.hold(`${prefix} ${service}`, () => admit({ service }, pod)) ?? []) : [];
    });
    if (found.length === 0) return keys;
    const text = joined(found);
    return [...keys, claims.hold(`${prefix} ${text}`, () => admit({ problem: text }, pod)) ?? []].flat();
  }

  function refusalOf(service: string, namespace: string): string | undefined {
    const [its = ''] = service.split('/');
    if (!isNamespaceWatched(its)) return 'cannot be seen: weeder does not watch this namespace';
    if (counts.hasRoomFor(namespace, service)) return undefined;
    return `is ignored: the pods of one namespace may declare at most ${mostServices} services`;
  }

  function forget(uid: string): void {
    const known = pods.get(uid);
    pods.delete(uid);
    for (const key of known?.claims ?? []) claims.release(key);
  }

  function take(stream: string, uid: string, pod: unknown, written: Written): void {
    const list = lists.get(stream) ?? 0;
    const known = pods.get(uid);
    if (known !== undefined && isSame(known.written, written)) {
      known.list = list;
      return;
    }
    const namespace = namespaceOf(pod);
    const keys = holdAll(declarationOf(written, namespace), namespace, pod);
    // The claims that both versions make are held throughout.
    forget(uid);
    const stored = (written.annotation?.length ?? 0) > longestStored ? { ...written, annotation: '' } : written;
    pods.set(uid, { stream, written: stored, claims: keys, list });
  }

  /** A line of a known pod that repeats what it has written. A list that contains the line contains the pod. */
  function isRepeated(line: Buffer, { uid, type }: LineMetadata): boolean {
    const known = pods.get(uid);
    if (known === undefined || type === 'DELETED' || !isWrittenIn(line, known.written)) return false;
    known.list = lists.get(known.stream) ?? 0;
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
          const uid = textOf(objectOf(objectOf(object)['metadata'])['uid']) ?? '';
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
        isIrrelevant: (line, metadata) => isRepeated(line, metadata) && sink.isIrrelevant?.(line, metadata) === true,
      };
    },
    closed,
    claims: () => claims.all(),
    stop() {
      for (const stream of [...lists.keys()]) closed(stream);
    },
  };
}

function isSame(one: Written, other: Written): boolean {
  return one.label === other.label && one.annotation === other.annotation;
}

/**
 * Labels precede all other places of a pod that users control, and a value cannot contain an unescaped quotation mark:
 * the first occurrence of a key is the one in `metadata`.
 */
function isWrittenIn(line: Buffer, { label, annotation }: Written): boolean {
  return hasFirst(line, dependsOn, label) && hasFirst(line, dependsOnServices, annotation);
}

/** A value that JSON.stringify escapes differently from the API server only causes the line to be parsed. */
function hasFirst(line: Buffer, key: string, value: string | undefined): boolean {
  const at = line.indexOf(`"${key}":`);
  return value === undefined ? at === -1 : at !== -1 && line.indexOf(`"${key}":${JSON.stringify(value)}`, at) === at;
}

const mostListed = 3;

function joined(problems: readonly string[]): string {
  const more = problems.length > mostListed ? [`and ${problems.length - mostListed} more`] : [];
  return [...problems.slice(0, mostListed), ...more].join('; ');
}
