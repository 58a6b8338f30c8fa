import type { JsonObject } from '@weeder/kube-runtime/base';
import { contentOf, differences } from '../oracle/plainObserver.ts';
import { desiredOf, type Generation, type StoryApplication } from './storyApplications.ts';
import type { StoryResource } from './storyManifests.ts';

/** Whether a process knows the last applied manifest: surely, perhaps, or not. */
export type Knows = 'surely' | 'perhaps' | 'no';

/** The manifest in force while the newest manifest of a resource is permanently refused. */
export interface Refusal {
  /** One of these was applied last. Empty: none was. */
  readonly lastApplied: readonly StoryResource[];
  /** Whether this process knows it, and so uses it. */
  readonly knows: Knows;
}

interface Last {
  /** The process that has applied it. */
  readonly process: number;
  /** One of these. */
  readonly resources: ReadonlySet<StoryResource>;
}

/** `id`: the name of the application and the key, `a0 ConfigMap/web`. */
export function storyApplied(now: () => number) {
  const last = new Map<string, Last>();
  /** By the text of the request. */
  const refusals = new Map<string, Map<string, number>>();
  const since = new Map<number, number>();

  function refusedAt(id: string): number {
    return Math.max(-1, ...(refusals.get(id)?.values() ?? []));
  }

  /** Whether it was the newest one at this time or later. */
  function wasNewest({ generations }: StoryApplication, key: string, resource: StoryResource, at: number): boolean {
    return generations.some(
      ({ resources }, index) => resources.get(key) === resource && (generations[index + 1]?.at ?? now()) >= at,
    );
  }

  function knows(application: StoryApplication, id: string, process: number, next: StoryResource): Knows {
    const was = last.get(id);
    if (was?.process === process) return 'surely';
    const at = since.get(process);
    if (was === undefined || at === undefined) return 'no';
    const others = [...was.resources].filter((each) => each !== next);
    return others.some((each) => wasNewest(application, keyIn(id), each, at)) ? 'perhaps' : 'no';
  }

  return {
    /** A process runs since then. Its first lists may be as old as that. */
    noteProcess(process: number, startedAt: number) {
      if (!since.has(process)) since.set(process, startedAt);
    },
    /** `generations`: the possible ones. `live`: the object afterwards. `isNew`: the apply has created it. */
    applied(
      id: string,
      process: number,
      generations: readonly Generation[],
      live: JsonObject | undefined,
      isNew: boolean,
    ) {
      const resources = generations.flatMap((each) => each.resources.get(keyIn(id)) ?? []);
      const newest = resources.at(-1);
      const equal = (each: StoryResource) => differences(desiredOf(each), contentOf(live)).length === 0;
      const isNewest = newest !== undefined && equal(newest);
      // While the newest one is refused, a deleted object is recreated as it was applied last: that ends no refusal.
      const earlier =
        isNew && refusedAt(id) >= 0 && !isNewest ? [...(last.get(id)?.resources ?? [])].filter(equal) : [];
      if (earlier.length === 0) refusals.delete(id);
      const possible = isNewest ? [newest] : earlier.length > 0 ? earlier : resources;
      last.set(id, { process, resources: new Set(possible) });
    },
    /** What was applied is desired again, which may decide which one of several it was. */
    corrected(id: string, live: JsonObject | undefined) {
      const was = last.get(id);
      const equal = [...(was?.resources ?? [])].filter(
        (each) => differences(desiredOf(each), contentOf(live)).length === 0,
      );
      if (was !== undefined && equal.length > 0) last.set(id, { ...was, resources: new Set(equal) });
    },
    forgotten(id: string) {
      last.delete(id);
      refusals.delete(id);
    },
    /** Permanently, until another manifest is set. `request`: its text. */
    refused: (id: string, request: string) =>
      void refusals.set(id, new Map([...(refusals.get(id) ?? []), [request, now()]])),
    /** The same request was refused before, in a write that has succeeded since. */
    accepted: (id: string, request: string) => void refusals.get(id)?.delete(request),
    /** Whether this process knows the manifest that was applied before `next`. */
    knows,
    /** Undefined: `next` is not refused. */
    refusal(application: StoryApplication, id: string, process: number, next: StoryResource) {
      const first = application.generations.find(({ resources }) => resources.get(keyIn(id)) === next)?.at ?? 0;
      const resources = [...(last.get(id)?.resources ?? [])];
      // A refusal in between does not end what was applied.
      if (refusedAt(id) < first || (resources.length === 1 && resources[0] === next)) return undefined;
      return { lastApplied: resources.filter((each) => each !== next), knows: knows(application, id, process, next) };
    },
  };
}

function keyIn(id: string): string {
  return id.slice(id.indexOf(' ') + 1);
}
