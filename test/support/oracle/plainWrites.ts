import {
  type Content,
  defaultOf,
  elementsAround,
  elementsIn,
  isWithin,
  listOf,
  type WantedFields,
} from './plainObserver.ts';

/** What is known of a resource beside what its manifest says now. */
export interface Past {
  /** What its application wanted of it before, as often as that changed. */
  readonly earlier: readonly WantedFields[];
  /** Whether its application gave a field its value, or took it away. */
  readonly isOurs: (path: string) => boolean;
  /** Whether the object ever had anything there. */
  readonly hasSeen: (path: string) => boolean;
  /**
   * Whether this process knows the manifest that was applied last: surely, when it has applied it; perhaps, when it may
   * have seen it as the newest one; and otherwise it does not know what others have changed or taken away.
   */
  readonly knowsApplied: 'surely' | 'perhaps' | 'no';
  /** Whether elements in the place of observed ones were taken over when the object was so: what was there then goes. */
  readonly takenOver: Content | undefined;
  /** Somebody has changed it while it was being created or updated: nobody knows who was first. */
  readonly isAtOnce: (path: string) => boolean;
  /** Another writer has taken the element away between two requests of one correction: the last request completes it. */
  readonly isRaced: (element: string) => boolean;
}

const marks = new Set(['metadata/labels/weeder.dev/application', 'metadata/annotations/weeder.dev/application-name']);

/** Everything in one write of weeder's that it may not write: an observed field to what it should be, and little more. */
export function faultsOfWrite(before: Content, after: Content, wanted: WantedFields, past: Past): string[] {
  const paths = new Set([...before.fields.keys(), ...after.fields.keys()]);
  const changed = [...paths].filter((path) => before.fields.get(path) !== after.fields.get(path) && !marks.has(path));
  return changed.flatMap((path) => {
    const around = elementsAround(path);
    const added = around.find((each) => !before.elements.has(each) && after.elements.has(each));
    const removed = around.find((each) => before.elements.has(each) && !after.elements.has(each));
    const isAllowed =
      added !== undefined
        ? mayAdd(added, before, wanted, past) && (hasRightValue(path) || past.isAtOnce(added) || past.isRaced(added))
        : removed !== undefined
          ? mayRemove(removed, before, wanted, past)
          : mayChange(path);
    return isAllowed ? [] : [`${path}: ${String(before.fields.get(path))} became ${String(after.fields.get(path))}`];
  });

  /** What is not in the manifest has its default. */
  function hasRightValue(path: string): boolean {
    const field = wanted.fields.get(path);
    return field === undefined || after.fields.get(path) === field.value;
  }

  function mayChange(path: string): boolean {
    const field = wanted.fields.get(path);
    const value = after.fields.get(path);
    if ([...wanted.absent].some((each) => isWithin(path, each))) return value === undefined;
    if (field === undefined)
      return value === defaultOf(path) && (!before.fields.has(path) || mayTakeAway(path, before, past));
    if (value !== field.value) return false;
    return field.isObserved || isKnownToBeOurs(path) || isNewInManifest(path, field.value);
  }

  function isKnownToBeOurs(path: string): boolean {
    if (past.isOurs(path) || !past.hasSeen(path) || past.isAtOnce(path)) return true;
    if (past.knowsApplied !== 'surely' && !before.fields.has(path)) return true;
    // What kubectl wrote as the manifest had it is the application's alone.
    return past.earlier.some(({ fields }) => fields.get(path)?.value === before.fields.get(path));
  }

  function isNewInManifest(path: string, value: unknown): boolean {
    return past.knowsApplied !== 'no' && past.earlier.some(({ fields }) => fields.get(path)?.value !== value);
  }
}

/**
 * What left the manifest, unless somebody has given it another value and nobody ever observed it. What kubectl wrote as
 * the manifest had it is the application's alone.
 */
function mayTakeAway(path: string, before: Content, { earlier, isOurs }: Past): boolean {
  const hasIt = ({ value }: { readonly value: unknown }) => isOurs(path) || value === before.fields.get(path);
  return earlier.some(({ fields }) => {
    const field = fields.get(path);
    return field !== undefined && (field.isObserved || hasIt(field));
  });
}

/**
 * An element of which something is observed comes back whole, and so does a list that is gone with such an element in it;
 * another element only where the manifest says something new of it.
 */
function mayAdd(
  element: string,
  before: Content,
  wanted: WantedFields,
  { earlier, hasSeen, isAtOnce, knowsApplied }: Past,
): boolean {
  if (!wanted.elements.has(element)) return false;
  if (!hasSeen(element) || isAtOnce(element) || knowsApplied !== 'surely') return true;
  const list = listOf(element);
  const whole = elementsIn(before, list).length === 0 ? list : element;
  const isObserved = [...wanted.fields].some(([path, field]) => field.isObserved && isWithin(path, whole));
  return isObserved || earlier.some((was) => isOther(element, was, wanted));
}

/** Whether two manifests read differently there. A filled-in value stands in neither of them. */
function isOther(element: string, one: WantedFields, other: WantedFields): boolean {
  const said = ({ fields, filledIn }: WantedFields) =>
    new Map(
      [...fields].flatMap(([path, { value }]) =>
        isWithin(path, element) && !filledIn.has(path) ? [[path, value]] : [],
      ),
    );
  const [was, is] = [said(one), said(other)];
  return was.size !== is.size || [...is].some(([path, value]) => was.get(path) !== value);
}

function mayRemove(element: string, before: Content, wanted: WantedFields, { earlier, takenOver }: Past): boolean {
  const path = listOf(element);
  const list = wanted.lists.find((each) => each.path === path);
  const isWanted = wanted.elements.has(element);
  if (!isWanted && earlier.some(({ elements }) => elements.has(element))) return true;
  // What was too many for an earlier manifest goes with the next apply, whatever the newest one says of it.
  if (!isWanted && takenOver !== undefined && earlier.some((was) => isExcess(element, takenOver, was))) return true;
  if (list === undefined || list.listed.has(element)) return false;
  if (list.max > 0 && elementsIn(before, path).length > list.max) return true;
  // Somebody's element may stand where ours belongs, so that both cannot be there.
  const hasGap = (content: Content) => [...list.listed].some((each) => !content.elements.has(each));
  if (isWanted) return false;
  return hasGap(before) || (takenOver?.elements.has(element) === true && hasGap(takenOver));
}

function isExcess(element: string, content: Content, { lists, elements }: WantedFields): boolean {
  const list = lists.find(({ path }) => path === listOf(element));
  if (list === undefined || elements.has(element) || !content.elements.has(element)) return false;
  return list.max > 0 && elementsIn(content, list.path).length > list.max;
}
