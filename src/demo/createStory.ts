import type { ControllerName, Events, ProcessControllers } from '../controllers/controllers.ts';
import type { Manager } from '../process/manager.ts';
import type { StoryOptions } from './storyOptions.ts';

/** A story in chapters about one controller. */
interface Story<K extends ControllerName, Chapter extends { readonly title: string }, Action> {
  readonly controller: K;
  readonly chapters: readonly Chapter[];
  readonly options: StoryOptions<Events[K] | Action, never>;
}

/**
 * The frame of a story: it times all events from the first chapter on, and sorts those of the controller by the chapter
 * in which they were reported.
 */
export function createStory<K extends ControllerName, Chapter extends { readonly title: string }, Action>({
  controller,
  chapters,
  options: { clock, viewer, onEvent, onChapter, onBegin },
}: Story<K, Chapter, Action>) {
  let startedAt: number | undefined;
  const time = () => (startedAt === undefined ? 0 : clock.monotonic() - startedAt);
  const events: Events[K][][] = [];
  return {
    /** An action of a user, or an event in the cluster. */
    onAction: (action: Action) => onEvent(time(), action),
    report(event: Events[K]): void {
      events.at(-1)?.push(event);
      viewer?.report(controller, event);
      onEvent(time(), event);
    },
    onStarted: (manager: Manager<ProcessControllers>) => viewer?.watch(manager),
    /** The events of the controller since the newest chapter began. */
    events: (): readonly Events[K][] => events.at(-1) ?? [],
    /** Plays the chapters one after the other, up to the first after which the others make no sense. */
    async play<Result>(
      states: () => Readonly<Record<string, number>>,
      playChapter: (chapter: Chapter) => Promise<Result>,
      isLast: (result: Result) => boolean = () => false,
    ): Promise<readonly Result[]> {
      await viewer?.isReady();
      onBegin({ time, states, done: () => events.length / chapters.length });
      const results: Result[] = [];
      for (const [index, chapter] of chapters.entries()) {
        startedAt ??= clock.monotonic();
        events.push([]);
        onChapter(index + 1, chapter.title);
        const result = await playChapter(chapter);
        results.push(result);
        if (isLast(result)) break;
      }
      return results;
    },
  };
}
