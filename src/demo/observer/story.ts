import type { JsonObject } from '@weeder/kube-runtime/base';
import type { ObserverEvent } from '../../observer/objects/events.ts';
import { firstImage, imagesOf, labelsOf, manifestsWith, nextImage, replicasOf } from './objects.ts';
import type { People, Site } from './site.ts';

/** The environment of a chapter. Times are milliseconds. */
export interface Stage {
  readonly site: Site;
  readonly people: People;
  /** Starts weeder. */
  start(): Promise<void>;
  /** Reports an action, and performs it. */
  act(what: string, perform: () => Promise<void>, by?: { readonly who: 'bot' }): Promise<void>;
  /** Acts, and waits until the condition has failed and holds again. Resolves to the time since the action. */
  untilRestored(isSo: () => boolean, act: () => Promise<void>): Promise<number | undefined>;
  /** Waits for a condition. Resolves to the time that this took; undefined after a timeout. */
  until(isSo: () => boolean): Promise<number | undefined>;
  pass(ms: number): Promise<void>;
  /** The events of weeder since the chapter began. */
  events(): readonly ObserverEvent[];
}

/** The outcome of a chapter. */
export interface ChapterOutcome {
  /** What weeder did, for the table. */
  readonly weeder: string;
  /** From the action until the object is restored, in milliseconds. */
  readonly took: number | undefined;
  readonly isAsExpected: boolean;
}

export interface Chapter {
  /** The heading in the timeline. */
  readonly title: string;
  /** The name of the row in the table. */
  readonly row: string;
  /** Whether the changed field is observed; empty if the question does not apply. */
  readonly observed: 'yes' | 'no' | '';
  play(stage: Stage): Promise<ChapterOutcome>;
}

/** How long a chapter waits for reactions that must not occur. */
const quiet = 1_500;
const bot = 'label-bot';
/** The number of changes by the bot. */
const repetitions = 3;
const botPause = 300;

export const chapters: readonly Chapter[] = [
  {
    title: 'an application is created: a Deployment and a Service',
    row: 'it is created',
    observed: '',
    async play({ people, start, act, until, site }) {
      await act('creates the Application nginx', () => people.createApplication(firstImage));
      await start();
      const took = await until(() => isDeployed(site, firstImage) && isServed(site));
      return { weeder: 'applies it', took: undefined, isAsExpected: took !== undefined };
    },
  },
  {
    title: 'a user sets another image',
    row: 'another image',
    observed: 'yes',
    async play({ people, act, untilRestored, site }) {
      const containers = [{ name: 'nginx', image: 'nginx:latest' }];
      const took = await untilRestored(
        () => isDeployed(site, firstImage),
        () =>
          act('sets the image to nginx:latest', () =>
            people.patch('Deployment', podSpec({ containers }), 'kubectl-set'),
          ),
      );
      return { weeder: 'restores it', took, isAsExpected: took !== undefined };
    },
  },
  {
    title: 'a user adds a container',
    row: 'an additional container',
    observed: 'yes',
    async play({ people, act, untilRestored, site }) {
      const containers = [{ name: 'miner', image: 'example.org/miner' }];
      const took = await untilRestored(
        () => isDeployed(site, firstImage),
        () =>
          act('adds a container "miner"', () => people.patch('Deployment', podSpec({ containers }), 'kubectl-edit')),
      );
      return { weeder: 'removes it', took, isAsExpected: took !== undefined };
    },
  },
  {
    title: 'a user adds a label that is not observed',
    row: 'another label',
    observed: 'no',
    async play({ people, act, pass, events, site }) {
      const metadata = { labels: { team: 'blue' } };
      await act('labels the Deployment with team=blue', () =>
        people.patch('Deployment', { metadata }, 'kubectl-label'),
      );
      await pass(quiet);
      return leftAlone(events(), labelsOf(site.object('Deployment'))['team'] === 'blue');
    },
  },
  {
    title: 'a user scales it, and the schema does not list the replicas',
    row: 'scaled to 5',
    observed: 'no',
    async play({ people, act, pass, events, site }) {
      await act('scales the Deployment to 5', () => people.scale(5));
      await pass(quiet);
      return leftAlone(events(), replicasOf(site.object('Deployment')) === 5);
    },
  },
  {
    title: 'a user deletes the Service',
    row: 'the Service deleted',
    observed: 'yes',
    async play({ people, act, untilRestored, site }) {
      const took = await untilRestored(
        () => isServed(site),
        () => act('deletes the Service', () => people.delete('Service')),
      );
      return { weeder: 'recreates it', took, isAsExpected: took !== undefined };
    },
  },
  {
    title: 'a bot that repeats its change',
    row: `a bot, ${repetitions} times`,
    observed: 'yes',
    async play({ people, act, untilRestored, pass, events, site }) {
      const metadata = { labels: { app: 'web' } };
      const times: (number | undefined)[] = [];
      for (let repetition = 1; repetition <= repetitions; repetition += 1) {
        await pass(botPause);
        const perform = () => people.patch('Service', { metadata }, bot);
        times.push(
          await untilRestored(
            () => isServed(site),
            () =>
              act(`sets the Service's label app to web${repetition === 1 ? '' : ', again'}`, perform, { who: 'bot' }),
          ),
        );
      }
      const managers = events().flatMap((event) =>
        event.type === 'resource.correctionBackOff' ? [event.conflictingManager] : [],
      );
      const [first, second = 0, third = 0] = times;
      const isPaced = second > 1_000 && third > 2_000;
      const isAsExpected =
        !times.includes(undefined) &&
        isPaced &&
        managers.length > 0 &&
        managers.every((manager) => manager?.startsWith(bot));
      const waits = times.slice(1).map((time) => `${((time ?? 0) / 1_000).toFixed(1)} s`);
      return { weeder: `then after ${waits.join(', ')}`, took: first, isAsExpected };
    },
  },
  {
    title: 'a new version of the application',
    row: 'a new version',
    observed: '',
    async play({ people, act, until, pass, events, site }) {
      await act(`sets the image in the Application to ${nextImage}`, () =>
        people.patchApplication({ spec: { manifests: manifestsWith(nextImage) } }),
      );
      const took = await until(() => isDeployed(site, nextImage));
      await pass(quiet);
      const deployment = site.object('Deployment');
      const isPreserved = replicasOf(deployment) === 5 && labelsOf(deployment)['team'] === 'blue';
      const isQuiet = !events().some(({ type }) => type === 'resource.drifted');
      return {
        weeder: 'applies it, 5 replicas stay',
        took: undefined,
        isAsExpected: took !== undefined && isPreserved && isQuiet,
      };
    },
  },
];

function leftAlone(events: readonly ObserverEvent[], isStillSo: boolean): ChapterOutcome {
  return { weeder: 'leaves it', took: undefined, isAsExpected: isStillSo && events.length === 0 };
}

function isDeployed(site: Site, image: string): boolean {
  const images = imagesOf(site.object('Deployment'));
  return images.length === 1 && images[0] === image;
}

function isServed(site: Site): boolean {
  return labelsOf(site.object('Service'))['app'] === 'nginx';
}

function podSpec(spec: JsonObject): JsonObject {
  return { spec: { template: { spec } } };
}
