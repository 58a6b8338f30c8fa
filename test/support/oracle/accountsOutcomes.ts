import type { Entry } from '../recording/history.ts';
import { type Named, namesOf, type ToldFact } from './accounts.ts';
import { type Case, doesPermit, retryOf } from './oracle.ts';
import { timersRan, toldAt, type Wish, wishesAt } from './oracleFacts.ts';

/**
 * Finds errors in what is reported about pods that were not deleted: kept is reported to each window that keeps the
 * pod, given up to each window that still wanted the deletion at its end, and neither to any other.
 */
export function falseOutcomes(cases: readonly Case[], facts: readonly ToldFact[], named: readonly Named[]): string[] {
  return cases.flatMap((each) => {
    const about = facts.filter((fact) => 'pod' in fact && fact.pod.uid === each.uid);
    return named.flatMap(({ name, window }) => {
      const told = about.filter((fact) => namesOf(fact).includes(name));
      const wishes = each.wishes.filter((wish) => wish.window === window);
      const missing = [
        ...(hasToKeep(each, wishes) && !told.some(({ type }) => type === 'pod.skipped') ? ['pod.skipped'] : []),
        ...(hasToGiveUp(each, wishes) && !told.some(({ type }) => type === 'deletion.failed') ? ['givenUp'] : []),
      ];
      return [
        ...told
          .filter((fact) => !canBeTold(each, wishes, fact))
          .map(({ type, t }) => `${name} is told ${type} at ${t}`),
        ...missing.map((type) => `${name} is not told ${type}`),
      ].map((fault) => `${each.uid}: ${fault}`);
    });
  });
}

function canBeTold(each: Case, wishes: readonly Wish[], { type, place }: ToldFact): boolean {
  if (type === 'pod.skipped') return [place, place - 1].some((index) => isKeptAt(each, wishes, index));
  if (type === 'deletion.failed') return isGivenUp(each, wishes, place);
  return type !== 'deletion.blocked' || wishes.some(isHeld);
}

/**
 * Whether those of these wishes that concern the pod would not have it deleted. One window may be notified before
 * another that deletes such pods learns of it.
 */
function isKeptAt({ entries, uid }: Case, wishes: readonly Wish[], index: number): boolean {
  const told = toldAt(entries, index, uid);
  const ran = timersRan(entries, index);
  const wanting = wishes.filter(({ from, to, endsAt }) => from <= index && index < to && ran <= endsAt);
  return told !== undefined && wanting.length > 0 && !wanting.some((wish) => doesPermit(wish, told));
}

/** The pod remains to be kept while time passes, and no earlier attempt blocks the decision. */
function hasToKeep(each: Case, wishes: readonly Wish[]): boolean {
  const { entries, uid } = each;
  return entries.some(({ t }, index) => {
    const told = toldAt(entries, index, uid);
    if (told === undefined || (entries[index + 1]?.t ?? t) === t || entries[index + 1]?.what === 'awake') return false;
    return (
      wishesAt(wishes, index, t + 1).length > 0 &&
      isKeptAt(each, each.wishes, index) &&
      retryOf(each, index, told).must <= t
    );
  });
}

/** The window has not released the pod before its own end: it neither kept the pod, nor saw it leave. */
function isGivenUp({ entries }: Case, wishes: readonly Wish[], place: number): boolean {
  const newest = wishes.filter(({ from }) => from <= place).toSorted((a, b) => b.to - a.to)[0];
  if (newest === undefined) return false;
  const letGoAt = entries[newest.to]?.t ?? 0;
  return newest.to > place || letGoAt >= newest.endsAt || (newest.to === newest.window.to && !isHeld(newest));
}

/** The last attempt was refused, and the window ends before another. */
function hasToGiveUp({ entries, uid, wishes, attempts }: Case, own: readonly Wish[]): boolean {
  return own.some((wish) => {
    const isOver = ({ t }: Entry, index: number) => t > wish.endsAt && index > wish.from;
    const over = entries.findIndex(isOver);
    if (over === -1 || wish.to < over || entries[over]?.what === 'awake') return false;
    const told = toldAt(entries, over - 1, uid);
    const last = attempts.findLast(({ at }) => at < over);
    const isLater = ({ to }: Wish) => (entries[to]?.t ?? Number.POSITIVE_INFINITY) >= wish.endsAt;
    const others = wishes.filter((each) => each.window !== wish.window && each.from < over && isLater(each));
    if (told === undefined || last === undefined || last.at < wish.from || others.length > 0) return false;
    const isRefused = last.answer?.type === 'delete.refused' || last.answer?.type === 'delete.conflicted';
    const isBeforeEnd = (entries[last.at]?.t ?? 0) < wish.endsAt;
    return isRefused && isBeforeEnd && last.answeredAt < over && doesPermit(wish, told);
  });
}

function isHeld({ to, window }: Wish): boolean {
  return to === window.to && window.isHeld;
}
