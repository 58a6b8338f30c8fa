import { descend, type Found, foundRoot, type PageSource } from './actorTree.ts';
import type { ChosenActors } from './chosen.ts';
import { serviceOf, serviceView } from './serviceView.ts';
import type { Tallies } from './tallies.ts';

/** What has changed since the last look: JSON by `namespace/service`. */
export interface Changes {
  readonly all: ReadonlyMap<string, string>;
  readonly changed: readonly string[];
  readonly gone: readonly string[];
}

/** So many actors are looked at without a pause. */
const batch = 500;

/**
 * Looks at every service, and at the chosen actors, with pauses: how many there are does not matter to the weeding.
 * `before` is what the last look found.
 */
export async function lookAround(
  source: PageSource | undefined,
  tallies: Tallies,
  chosenActors: ChosenActors,
  before: ReadonlyMap<string, string>,
): Promise<Changes> {
  const all = new Map<string, string>();
  let count = 0;
  chosenActors.beginLook();
  for (const actor of source?.actors() ?? []) {
    const root = foundRoot(actor);
    if (source !== undefined && root !== undefined) {
      chosenActors.look(root, descend);
      noteService(source, root);
    }
    count += 1;
    if (count % batch === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  chosenActors.endLook();

  function noteService(its: PageSource, root: Found): void {
    const service = serviceOf(root);
    if (service === undefined) return;
    const key = `${service.namespace}/${service.service}`;
    all.set(key, JSON.stringify(serviceView(its, root, service, tallies.of(key))));
  }

  return {
    all,
    changed: [...all].filter(([key, json]) => before.get(key) !== json).map(([, json]) => json),
    gone: [...before.keys()].filter((key) => !all.has(key)),
  };
}
