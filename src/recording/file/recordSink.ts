import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { ClosableSink, ObjectSink } from '@weeder/kube-runtime/watch';
import type { Append } from './entry.ts';

/** Reduces an object to the recorded fields. */
type Reduce = (object: JsonObject) => object;

/** A sink that only records what a stream delivers. */
export function recordSink(
  stream: string,
  append: Append,
  reduce: Reduce,
): Required<Omit<ClosableSink, 'isIrrelevant'>> {
  return {
    begin: () => append({ in: 'begin', stream }),
    apply: (type, object) => append({ in: type, stream, object: reduce(objectOf(object)) }),
    end: (resourceVersion) =>
      append({ in: 'end', stream, ...(resourceVersion === undefined ? {} : { resourceVersion }) }),
    lost: () => append({ in: 'lost', stream }),
    resumed: () => append({ in: 'resumed', stream }),
    rewound: () => append({ in: 'rewound', stream }),
    close: () => append({ in: 'closed', stream }),
  };
}

/** Calls the recording sink before the other one. */
export function recordedSink(
  recording: ReturnType<typeof recordSink>,
  sink: ObjectSink & { close?(): void },
): ClosableSink {
  return {
    begin() {
      recording.begin();
      sink.begin();
    },
    apply(type, object) {
      recording.apply(type, object);
      sink.apply(type, object);
    },
    end(resourceVersion) {
      recording.end(resourceVersion);
      sink.end(resourceVersion);
    },
    lost() {
      recording.lost();
      sink.lost?.();
    },
    resumed() {
      recording.resumed();
      sink.resumed?.();
    },
    rewound() {
      recording.rewound();
      sink.rewound?.();
    },
    close() {
      recording.close();
      sink.close?.();
    },
  };
}
