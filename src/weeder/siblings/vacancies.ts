import type { Clock } from '@weeder/kube-runtime/base';
import { objectOf, timeOf } from '@weeder/kube-runtime/base';
import type { Episode } from './episode.ts';

/** The episodes of deleted pods, which continue in the pods that replace them. */
interface Vacancies {
  /** `deletedAt`: epoch milliseconds by the API server's clock. */
  add(episode: Episode, deletedAt: number): void;
  /** The oldest that a pod of this template, as the API serves it, continues. */
  take(template: string | undefined, pod: unknown): Episode | undefined;
  isAny(): boolean;
  clear(): void;
}

interface Vacancy {
  /** In whole seconds, as the creation of a pod. */
  readonly deletedAt: number;
  /** By the monotonic clock. */
  readonly until: number;
}

/** A pod that replaces another one may wait for its node, its volumes and its image. Milliseconds. */
const longestWait = 600_000;
/** The oldest are forgotten first. */
const maxVacancies = 1_000;

/** `onForgotten`: called for each that no pod has continued. */
export function createVacancies(clock: Clock, onForgotten: (episode: Episode) => void): Vacancies {
  /** The oldest come first. */
  const vacancies = new Map<Episode, Vacancy>();

  function forget(isOld: (vacancy: Vacancy) => boolean): void {
    for (const [episode, vacancy] of vacancies) {
      if (!isOld(vacancy)) return;
      vacancies.delete(episode);
      onForgotten(episode);
    }
  }

  function forgetOld(): void {
    const now = clock.monotonic();
    forget(({ until }) => until <= now || vacancies.size > maxVacancies);
  }

  return {
    add(episode, deletedAt) {
      vacancies.set(episode, {
        deletedAt: Math.floor(deletedAt / 1000) * 1000,
        until: clock.monotonic() + longestWait,
      });
      forgetOld();
    },
    take(template, pod) {
      forgetOld();
      const createdAt = timeOf(objectOf(objectOf(pod)['metadata'])['creationTimestamp']);
      if (template === undefined || createdAt === undefined) return undefined;
      for (const [episode, { deletedAt }] of vacancies) {
        if (episode.template !== template || createdAt < deletedAt) continue;
        vacancies.delete(episode);
        return episode;
      }
      return undefined;
    },
    isAny() {
      forgetOld();
      return vacancies.size > 0;
    },
    clear: () => forget(() => true),
  };
}
