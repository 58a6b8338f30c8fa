import {
  type Content,
  type DesiredFields,
  defaultOf,
  elementsAround,
  elementsIn,
  isWithin,
  listOf,
} from './plainObserver.ts';

/** What is known of a resource in addition to its current manifest. */
export interface Past {
  /** The earlier manifests of its application. */
  readonly earlier: readonly DesiredFields[];
  /** Later manifests that the API server has refused, perhaps after a part of them was applied. */
  readonly refused: readonly DesiredFields[];
  /** Whether its application set a field, or removed it. */
  readonly isOwnField: (path: string) => boolean;
  /** Whether the object ever had anything there. */
  readonly hasSeen: (path: string) => boolean;
  /**
   * Whether this process knows the last applied manifest: surely, if it has applied it; perhaps, if it may have seen it
   * as the newest one; and otherwise it does not know which fields other clients have changed or removed.
   */
  readonly knowsApplied: 'surely' | 'perhaps' | 'no';
  /** Whether elements in the place of observed ones were taken over from this object: those of that time are removed. */
  readonly takenOver: Content | undefined;
  /** Another client has changed it while it was being created or updated: the order is not known. */
  readonly isAtOnce: (path: string) => boolean;
  /** Another writer has taken the element away between two requests of one correction: the last request completes it. */
  readonly isRaced: (element: string) => boolean;
}

const marks = new Set(['metadata/labels/weeder.dev/application', 'metadata/annotations/weeder.dev/application-name']);

/** Every field in one write of weeder's that it may not write: an observed one to another value, and most others. */
export function violationsOfWrite(before: Content, after: Content, desired: DesiredFields, past: Past): string[] {
  const paths = new Set([...before.fields.keys(), ...after.fields.keys()]);
  const changed = [...paths].filter((path) => before.fields.get(path) !== after.fields.get(path) && !marks.has(path));
  return changed.flatMap((path) => {
    const around = elementsAround(path);
    const added = around.find((each) => !before.elements.has(each) && after.elements.has(each));
    const removed = around.find((each) => before.elements.has(each) && !after.elements.has(each));
    const isAllowed =
      added !== undefined
        ? mayAdd(added, before, desired, past) && (hasRightValue(path) || past.isAtOnce(added) || past.isRaced(added))
        : removed !== undefined
          ? mayRemove(removed, before, desired, past)
          : mayChange(path);
    return isAllowed ? [] : [`${path}: ${String(before.fields.get(path))} became ${String(after.fields.get(path))}`];
  });

  /** A field that is not in the manifest has its default. */
  function hasRightValue(path: string): boolean {
    const field = desired.fields.get(path);
    return field === undefined || after.fields.get(path) === field.value;
  }

  function mayChange(path: string): boolean {
    const field = desired.fields.get(path);
    const value = after.fields.get(path);
    if ([...desired.absent].some((each) => isWithin(path, each))) return value === undefined;
    if (field === undefined)
      return (
        value === defaultOf(path) &&
        (!before.fields.has(path) || mayRemoveField(path, before, past) || isOfRefused(path, before, past))
      );
    if (value !== field.value) return false;
    return field.isObserved || isKnownToBeOwn(path) || isNewInManifest(path, field.value);
  }

  function isKnownToBeOwn(path: string): boolean {
    if (past.isOwnField(path) || !past.hasSeen(path) || past.isAtOnce(path)) return true;
    if (past.knowsApplied !== 'surely' && !before.fields.has(path)) return true;
    // Fields that kubectl wrote with the manifest's values belong to the application alone.
    return past.earlier.some(({ fields }) => fields.get(path)?.value === before.fields.get(path));
  }

  function isNewInManifest(path: string, value: unknown): boolean {
    return past.knowsApplied !== 'no' && past.earlier.some(({ fields }) => fields.get(path)?.value !== value);
  }
}

/**
 * Fields that left the manifest, unless another client has changed them and they were never observed. Fields that
 * kubectl wrote with the manifest's values belong to the application alone.
 */
function mayRemoveField(path: string, before: Content, { earlier, isOwnField }: Past): boolean {
  const hasIt = ({ value }: { readonly value: unknown }) => isOwnField(path) || value === before.fields.get(path);
  return earlier.some(({ fields }) => {
    const field = fields.get(path);
    return field !== undefined && (field.isObserved || hasIt(field));
  });
}

/** What only the application has written, for a manifest that was refused afterwards: the one in force lacks it. */
function isOfRefused(path: string, before: Content, { refused, isOwnField }: Past): boolean {
  const isThere = refused.some(({ fields, elements }) => fields.has(path) || elements.has(path));
  return isThere && [...before.fields.keys()].every((each) => !isWithin(each, path) || isOwnField(each));
}

/**
 * An element with an observed field is restored as a whole, and so is a deleted list with such an element in it;
 * another element only if the manifest has changed it.
 */
function mayAdd(
  element: string,
  before: Content,
  desired: DesiredFields,
  { earlier, hasSeen, isAtOnce, knowsApplied }: Past,
): boolean {
  if (!desired.elements.has(element)) return false;
  if (!hasSeen(element) || isAtOnce(element) || knowsApplied !== 'surely') return true;
  const list = listOf(element);
  const whole = elementsIn(before, list).length === 0 ? list : element;
  const isObserved = [...desired.fields].some(([path, field]) => field.isObserved && isWithin(path, whole));
  return isObserved || earlier.some((was) => isOther(element, was, desired));
}

/** Whether two manifests differ there. A default is in neither of them. */
function isOther(element: string, one: DesiredFields, other: DesiredFields): boolean {
  const textAt = ({ fields, filledIn }: DesiredFields) =>
    new Map(
      [...fields].flatMap(([path, { value }]) =>
        isWithin(path, element) && !filledIn.has(path) ? [[path, value]] : [],
      ),
    );
  const [was, is] = [textAt(one), textAt(other)];
  return was.size !== is.size || [...is].some(([path, value]) => was.get(path) !== value);
}

function mayRemove(element: string, before: Content, desired: DesiredFields, past: Past): boolean {
  const { earlier, takenOver } = past;
  const path = listOf(element);
  const list = desired.lists.find((each) => each.path === path);
  const isDesired = desired.elements.has(element);
  if (!isDesired && earlier.some(({ elements }) => elements.has(element))) return true;
  if (!isDesired && isOfRefused(element, before, past)) return true;
  // Excess elements of an earlier manifest are removed with the next apply, whatever the newest one has.
  if (!isDesired && takenOver !== undefined && earlier.some((was) => isExcess(element, takenOver, was))) return true;
  if (list === undefined || list.listed.has(element)) return false;
  if (list.max > 0 && elementsIn(before, path).length > list.max) return true;
  // A foreign element may have the key of a desired one, so that both cannot exist.
  const hasGap = (content: Content) => [...list.listed].some((each) => !content.elements.has(each));
  if (isDesired) return false;
  return hasGap(before) || (takenOver?.elements.has(element) === true && hasGap(takenOver));
}

function isExcess(element: string, content: Content, { lists, elements }: DesiredFields): boolean {
  const list = lists.find(({ path }) => path === listOf(element));
  if (list === undefined || elements.has(element) || !content.elements.has(element)) return false;
  return list.max > 0 && elementsIn(content, list.path).length > list.max;
}
