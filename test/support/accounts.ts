import { type WeederFact, type WindowRef, windowRefOf } from '../../src/weeder/facts.ts';
import type { Entry, History } from './history.ts';
import { doesPermit } from './oracle.ts';
import { attemptsOf, toldAt, wishesAt, wishesOf } from './oracleFacts.ts';
import { type DueWindow, dueWindows } from './oracleWindows.ts';

/** A fact, when it was told (milliseconds), and by which weeder of the story, from 1. */
export type ToldFact = WeederFact & { readonly t: number; readonly life: number };

/**
 * What is wrong with what the windows say of themselves: each opens when the design says, closes once, and has each
 * deletion in its account that it wanted when it was asked for; and each deletion is told of once.
 */
export function falseAccounts(history: History, facts: readonly ToldFact[]): string[] {
  const broken = facts.flatMap((fact) => (fact.type === 'actor.failed' ? [`${fact.actor} broke: ${fact.error}`] : []));
  const opened = facts.filter((fact) => fact.type === 'window.opened');
  const due = dueWindows(history).toSorted((a, b) => a.from - b.from);
  const named = namedInOrder(history.entries, due, opened);
  const times = opened.map((fact) => `${fact.namespace}/${fact.service} at ${fact.t} for ${fact.duration}`);
  const dueTimes = due.map(({ key, opensAt, duration }) => `${key} at ${opensAt} for ${duration}`);
  return [
    ...broken,
    ...times.filter((each) => !dueTimes.includes(each)).map((each) => `a window opened of ${each}`),
    ...dueTimes.filter((each) => !times.includes(each)).map((each) => `no window opened of ${each}`),
    ...[...new Set(named.map(({ name }) => name))].flatMap((name) => falseCount(facts, name)),
    ...untold(history, facts, named),
  ];
}

/** A service that vanished and is back counts its windows from 1 again: one name may be that of several windows. */
function falseCount(facts: readonly ToldFact[], name: string): string[] {
  const opened = facts.filter((fact) => fact.type === 'window.opened' && nameOf(fact) === name).length;
  const closed = facts.flatMap((fact) =>
    fact.type === 'window.closed' && nameOf(fact) === name ? [fact.deleted] : [],
  );
  const count = closed.reduce((sum, deleted) => sum + deleted, 0);
  const deleted = facts
    .flatMap((fact) => (fact.type === 'pod.deleted' ? namesOf(fact) : []))
    .filter((each) => each === name).length;
  return [
    ...(closed.length === opened ? [] : [`${name} opened ${opened} times, closed ${closed.length} times`]),
    ...(count === deleted ? [] : [`${name} counts ${count} deleted, which were ${deleted}`]),
  ];
}

/** Deletions that were accepted and not told of, or not in the name of each window that wanted them. */
function untold({ entries }: History, facts: readonly ToldFact[], due: readonly Named[]): string[] {
  const uids = new Set(entries.flatMap((entry) => (entry.what === 'asked' ? entry.uid : [])));
  return [...uids].flatMap((uid) => {
    const accepted = attemptsOf(entries, uid)
      .filter(({ answer }) => answer?.type === 'delete.accepted')
      .sort((a, b) => a.answeredAt - b.answeredAt);
    const told = facts.filter((fact) => fact.type === 'pod.deleted' && fact.pod.uid === uid);
    if (told.length !== accepted.length)
      return [`${uid} was deleted ${accepted.length} times, told ${told.length} times`];
    return accepted.flatMap(({ at }, index) => {
      const names = namesOf(told[index]);
      const pod = toldAt(entries, at, uid);
      const wanting = due.filter(({ window }) =>
        wishesAt(wishesOf(entries, window, uid), at, entries[at]?.t ?? 0).some(
          (wish) => pod !== undefined && doesPermit(wish, pod) && wish.endsAt > (entries[at]?.t ?? 0),
        ),
      );
      return wanting
        .filter(({ name }) => !names.includes(name))
        .map(({ name }) => `${uid} is not in the account of ${name}`);
    });
  });
}

interface Named {
  readonly name: string;
  readonly window: DueWindow;
}

/** The windows by the names that weeder gives them. */
function namedInOrder(entries: readonly Entry[], due: readonly DueWindow[], opened: readonly ToldFact[]): Named[] {
  const lifeOf = ({ from }: DueWindow) => entries.slice(0, from + 1).filter(({ what }) => what === 'listing').length;
  return due.flatMap((window, index) => {
    const isSame = (each: DueWindow) => each.key === window.key && lifeOf(each) === lifeOf(window);
    const facts = opened.filter(
      (fact) => 'window' in fact && fact.life === lifeOf(window) && `${fact.namespace}/${fact.service}` === window.key,
    );
    const fact = facts[due.slice(0, index).filter(isSame).length];
    return fact !== undefined && 'window' in fact ? [{ name: nameOf(fact), window }] : [];
  });
}

function namesOf(fact: ToldFact | undefined): string[] {
  if (fact === undefined || !('also' in fact)) return [];
  return [windowRefOf(fact), ...fact.also].map((ref) => nameOf({ ...ref, life: fact.life }));
}

function nameOf({ namespace, service, window, life }: WindowRef & { readonly life: number }): string {
  return `${namespace}/${service}#${window} of weeder ${life}`;
}
