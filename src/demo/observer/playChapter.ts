import type { Clock } from '@weeder/kube-runtime/base';
import type { ObserverEvent } from '../../observer/objects/events.ts';
import type { SiteEvent } from './events.ts';
import type { People, Site } from './site.ts';
import type { Chapter, ChapterOutcome, Stage } from './story.ts';

/** The outcome of a chapter. */
export interface ChapterResult extends ChapterOutcome {
  readonly chapter: Chapter;
}

interface StoryParts {
  readonly clock: Clock;
  readonly site: Site;
  readonly people: People;
  readonly start: () => Promise<void>;
  /** The events of weeder since the newest chapter began. */
  readonly events: () => readonly ObserverEvent[];
  readonly onAction: (action: SiteEvent) => void;
}

/** The timeout of a condition, and the pause between two chapters. Milliseconds. */
const patience = 20_000;
const pause = 1_000;

/** Returns what plays a chapter. */
export function chapterPlayer({ clock, site, people, start, events, onAction }: StoryParts) {
  const pass = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));

  /** Resolves when an object has changed and the condition holds, or after the timeout. */
  function follow(isSo: () => boolean): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = clock.setTimeout(() => end(false), patience);
      const forget = site.onChange(() => isSo() && end(true));
      if (isSo()) end(true);

      function end(outcome: boolean): void {
        clock.clearTimeout(timer);
        forget?.();
        resolve(outcome);
      }
    });
  }

  const stage: Stage = {
    site,
    people,
    start,
    pass,
    events,
    async act(what, perform, by = undefined) {
      onAction({ type: 'action', who: by?.who ?? 'kubectl', what, isHarmful: by !== undefined });
      await perform();
    },
    async untilRestored(isSo, act) {
      let wasOtherwise = false;
      const restored = follow(() => {
        const is = isSo();
        if (!is) wasOtherwise = true;
        return is && wasOtherwise;
      });
      const from = clock.monotonic();
      const at = restored.then((isRestored) => (isRestored ? clock.monotonic() - from : undefined));
      await act();
      return at;
    },
    async until(isSo) {
      const from = clock.monotonic();
      return (await follow(isSo)) ? clock.monotonic() - from : undefined;
    },
  };

  return async (chapter: Chapter): Promise<ChapterResult> => {
    const outcome = await chapter.play(stage);
    await pass(pause);
    return { chapter, ...outcome };
  };
}
