import type { Weeder } from '../../../src/weeder/weeder.ts';
import { slice } from '../objects/objects.ts';
import type { HistoryEvent } from '../recording/history.ts';
import type { SliceChange } from '../steps.ts';

export interface StorySlicesOptions {
  readonly now: () => number;
  readonly note: (event: HistoryEvent) => void;
  readonly weeder: () => Weeder | undefined;
}

/** The EndpointSlices of a story, which the stream delivers. */
export function storySlices({ now, note, weeder }: StorySlicesOptions) {
  const slices = new Map<string, SliceChange>();
  const readySince = new Map<string, number>();

  const serviceOf = ({ namespace, service }: SliceChange) => `${namespace}/${service}`;
  const isReady = (service: string) =>
    [...slices.values()].some((each) => serviceOf(each) === service && each.ready?.includes(true));

  /** The places of the ready endpoints, which have the same address in every slice of a service. */
  function readyPlaces(service: string): Set<number> {
    const serviceSlices = [...slices.values()].filter((each) => serviceOf(each) === service);
    return new Set(serviceSlices.flatMap(({ ready }) => (ready ?? []).flatMap((each, place) => (each ? [place] : []))));
  }

  function put(change: SliceChange): string {
    const key = `${change.service}-${change.part}-${change.namespace}`;
    if (change.ready === null) slices.delete(key);
    else slices.set(key, change);
    const service = serviceOf(change);
    if (!isReady(service)) readySince.delete(service);
    else if (!readySince.has(service)) readySince.set(service, now());
    return key;
  }

  function deliver(name: string, change: SliceChange): void {
    const { namespace, service, ready } = change;
    const key = serviceOf(change);
    const exists = [...slices.values()].some((each) => serviceOf(each) === key);
    note({ what: 'slice', service: key, isReady: isReady(key), exists });
    const object = slice({ namespace, service, name, ready: ready ?? [], withTargets: true });
    weeder()?.slices.apply(ready === null ? 'DELETED' : 'MODIFIED', object);
  }

  return {
    change(change: SliceChange) {
      const service = serviceOf(change);
      const before = readyPlaces(service);
      const key = put(change);
      const after = readyPlaces(service);
      const isReplaced = before.size > 0 && after.size > 0 && before.isDisjointFrom(after);
      if (isReplaced) note({ what: 'slice', service, isReady: false, exists: true });
      deliver(key, change);
    },
    /** Delivers the existing slices to a new weeder. */
    list() {
      for (const [key, change] of slices) deliver(key, change);
    },
    /** The stream lists again, with a change that was not observed, or an outage (milliseconds ago). */
    readAgain(change: SliceChange, outageEnded: number | undefined) {
      const key = put(change);
      const service = serviceOf(change);
      if (outageEnded !== undefined && readySince.has(service)) readySince.set(service, now() - outageEnded);
      note({ what: 'gap' });
      weeder()?.slices.begin();
      for (const [name, options] of slices) deliver(name, options);
      if (change.ready === null) deliver(key, change);
      note({ what: 'gapEnds' });
      weeder()?.slices.end();
    },
    /** Since when the service (`namespace/name`) is ready: epoch milliseconds. */
    readySince: (service: string) => readySince.get(service),
  };
}
