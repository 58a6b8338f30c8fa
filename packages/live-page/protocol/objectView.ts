import type { ActorView } from './actorView.ts';
import type { Health } from './health.ts';
import type { Moment } from './moment.ts';
import type { PageRef } from './pageRef.ts';

/** One object in words. Times: epoch milliseconds. */
export interface ObjectLine {
  /** `Service shop/db`, or something else that is listed. */
  readonly object: string;
  /** Undefined: it has no page. */
  readonly page: PageRef | undefined;
  /** Its state and the reason, for `setTimedText`. */
  readonly words: string;
  /** Left out: it is not judged. */
  readonly health?: Health;
  /** Undefined: not known, or since before weeder started. */
  readonly since: number | undefined;
  /** What happens next by a timer: `corrected`, and when. */
  readonly next: { readonly words: string; readonly at: number } | undefined;
}

/** What a controller says of an object. */
export interface ObjectPart extends Omit<ObjectLine, 'page'> {
  /** The settings that apply and where they come from, and other facts: `Settings`, `window 5m`. */
  readonly facts: readonly (readonly [name: string, text: string])[];
  readonly sections: readonly ObjectSection[];
  /** The id of its actor. Undefined: it has none now. */
  readonly actor: string | undefined;
}

/** What belongs to an object: its dependants, pods, resources. */
export interface ObjectSection {
  readonly title: string;
  readonly total: number;
  /** The worst first; a part, if there are many. */
  readonly lines: readonly ObjectLine[];
  /** In place of lines, if there are none. */
  readonly none: string;
}

/** An object: GET `/object?type=pod&id=shop/web-0` returns an `ObjectView`. */
export interface ObjectView extends Omit<ObjectPart, 'actor'>, PageRef {
  /** Undefined: none runs. */
  readonly actor: ActorView | undefined;
  /** The newest events of objects of this name, at most 50, oldest first. */
  readonly moments: readonly Moment[];
}

/** The maximum number of lines in a section. */
const maxLines = 50;

/** The section of these items, which are in the order in which they are shown. */
export function objectSection<Item>(
  title: string,
  items: readonly Item[],
  lineOf: (item: Item) => ObjectLine,
  none: string,
): ObjectSection {
  return { title, total: items.length, lines: items.slice(0, maxLines).map(lineOf), none };
}
