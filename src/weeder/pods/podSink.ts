import type { ChangeType, ClosableSink, LineMetadata } from '@weeder/kube-runtime/watch';
import { mayNeverStart } from './neverStarted.ts';

/** One stream of pods; `list`: the number of its newest complete list. */
export interface PodSource {
  list: number;
}

/** Takes what streams report of pods. */
export interface Reports {
  /** Whether a line about the pod matters, although it may say nothing of a crash-loop: its state so far is known. */
  has(uid: string): boolean;
  /** DELETED: the pod is not selected any more, or was deleted. */
  report(source: PodSource, type: ChangeType, object: unknown): void;
  /** The list of the source is complete. */
  completed(source: PodSource): void;
  /** What the source has reported no longer counts. */
  closed(source: PodSource): void;
}

/** Both receive the reports, one after the other. */
export function together(one: Reports, other: Reports): Reports {
  return {
    has: (uid) => one.has(uid) || other.has(uid),
    report(...report) {
      one.report(...report);
      other.report(...report);
    },
    completed(source) {
      one.completed(source);
      other.completed(source);
    },
    closed(source) {
      one.closed(source);
      other.closed(source);
    },
  };
}

/** The sink of one stream into one index. */
export function podSink(index: Reports): ClosableSink {
  const source: PodSource = { list: 0 };
  return {
    begin() {
      source.list += 1;
    },
    apply: (type, object) => index.report(source, type, object),
    end: () => index.completed(source),
    close: () => index.closed(source),
    isIrrelevant: (line, metadata) => !index.has(metadata.uid) && saysNothing(line, metadata),
  };
}

const crashLoopBackOff = Buffer.from('CrashLoopBackOff');
const terminated = Buffer.from('"terminated"');

/** Whether an index that does not have the pod needs nothing of this line. */
export function saysNothing(line: Buffer, { type }: LineMetadata): boolean {
  // The final DELETED event of a pod changes nothing: the pod left the index when its deletion began.
  if (type === 'DELETED') return true;
  return !line.includes(crashLoopBackOff) && !line.includes(terminated) && !mayNeverStart(line);
}
