import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { ownerOf } from '../../../src/observer/objects/fieldManagers.ts';
import type { RequestFailure } from '../world/simulatedServer.ts';
import {
  type Generation,
  newest,
  poolOf,
  resourceOf,
  type StoryApplication,
  someResources,
  specOf,
} from './storyApplications.ts';
import type { Dice } from './storyDraw.ts';
import { edited } from './storyEdits.ts';
import type { StoryWorld } from './storyWorld.ts';

/** A client that writes an object again whenever it changes. */
export interface Competitor {
  readonly object: JsonObject;
  /** By the clock. */
  readonly until: number;
}

/** The environment of a story. */
export interface Scene {
  readonly world: StoryWorld;
  readonly applications: Map<string, StoryApplication>;
  /** By key. */
  readonly competitors: Map<string, Competitor>;
}

interface PossibleStep {
  readonly weight: number;
  readonly act: (scene: Scene, dice: Dice) => void | Promise<void>;
}

export const names: readonly [string, ...string[]] = ['a0', 'a1', 'a2'];
const requestFailures: readonly [RequestFailure, ...RequestFailure[]] = [
  429,
  500,
  503,
  403,
  'network',
  'lost',
  'silent',
];
const otherClients: readonly [string, ...string[]] = ['kubectl-edit', 'helm', 'another-client'];

/** Of the objects that applications have or may have, and two without an application. */
function someKey({ applications }: Scene, dice: Dice): string {
  const desired = [...applications.values()].flatMap((each) => [...newest(each).resources.keys()]);
  return dice.of(['ConfigMap/unowned', 'ConfigMap/shared', ...desired, ...desired]);
}

/** A client does this to an existing object. */
function toLive(
  act: (scene: Scene, dice: Dice, key: string, live: JsonObject, metadata: JsonObject) => void,
): PossibleStep['act'] {
  return (scene, dice) => {
    const key = someKey(scene, dice);
    const live = scene.world.get(key);
    if (live !== undefined) act(scene, dice, key, live, objectOf(live['metadata']));
  };
}

const edit = toLive(({ world }, dice, key, live) => void world.put(key, edited(dice, live), dice.of(otherClients)));

function foreignObject(key: string, dice: Dice): JsonObject {
  const { manifest } = resourceOf(key, dice);
  return { ...manifest, metadata: { ...objectOf(manifest['metadata']), namespace: 'shop' } };
}

/** As a client would who applies a file of their own. */
function makeObject(scene: Scene, dice: Dice): void {
  const key = someKey(scene, dice);
  const object = foreignObject(key, dice);
  if (scene.world.get(key) === undefined) scene.world.put(key, object, dice.of(otherClients));
  else scene.world.apply(key, object, dice.of(otherClients));
}

/** As `kubectl replace --force` does it: another object of the same content, with the earlier label or without. */
const replaceObject = toLive(({ world }, dice, key, live, { name, namespace, labels, annotations }) => {
  world.remove(key);
  const metadata = { name, namespace, ...(dice.once(2) ? { labels, annotations } : {}) };
  world.put(key, { ...live, metadata }, dice.of(otherClients));
});

/** Objects that exist before any application, under names that applications may have. */
export function makeForeignObjects({ world }: Scene, dice: Dice): void {
  for (const key of dice.some([...names.flatMap(poolOf)], 4)) {
    const object = foreignObject(key, dice);
    if (world.get(key) === undefined) world.put(key, object, dice.of(otherClients));
  }
}

const stripLabel = toLive(({ world }, dice, key, live, metadata) => {
  const { 'weeder.dev/application': _, ...labels } = objectOf(metadata['labels']);
  world.put(key, { ...live, metadata: { ...metadata, labels } }, dice.of(otherClients));
});

/** The label of an application that does not exist, or may have been deleted by now, with or without its name. */
const spoofLabel = toLive(({ world }, dice, key, live, metadata) => {
  const { label, name } = ownerOf({ namespace: 'shop', name: dice.of(['ghost', 'ghost', 'a2']) });
  const labels = { ...objectOf(metadata['labels']), 'weeder.dev/application': label };
  const nameAnnotation = dice.once(2) ? { 'weeder.dev/application-name': name } : {};
  const annotations = { ...objectOf(metadata['annotations']), ...nameAnnotation };
  world.put(key, { ...live, metadata: { ...metadata, labels, annotations } }, dice.of(otherClients));
});

const competitor = toLive(({ world, competitors }, dice, key, live) => {
  const until = world.clock.monotonic() + dice.of([3_000, 30_000, 200_000]);
  const object = edited(dice, live);
  competitors.set(key, { object, until });
  world.put(key, object, 'competitor');
});

function someApplication({ applications }: Scene, dice: Dice): StoryApplication | undefined {
  const remaining = [...applications.values()].filter((each) => !newest(each).isDeleted);
  return remaining[dice.below(remaining.length)];
}

function changeApplication(scene: Scene, dice: Dice, change: Partial<Generation>): void {
  const application = someApplication(scene, dice);
  if (application !== undefined) writeApplication(scene, application, { ...newest(application), ...change });
}

function update(scene: Scene, dice: Dice): void {
  const application = someApplication(scene, dice);
  if (application === undefined) return;
  const before = newest(application);
  const resources = someResources(application.name, before.resources, dice.below(2 ** 30));
  writeApplication(scene, application, { ...before, resources });
}

/** An owner writes only specs that the server accepts. */
function writeApplication({ world }: Scene, application: StoryApplication, next: Generation): void {
  const { name, generations } = application;
  const key = `Application/${name}`;
  const live = world.get(key);
  const metadata = live === undefined ? { name, namespace: 'shop' } : live['metadata'];
  const spec = { ...specOf(next), serviceAccountName: name };
  const object = { apiVersion: 'weeder.dev/v1alpha1', kind: 'Application', ...live, metadata, spec };
  if (!world.put(key, object, 'owner')) throw new Error(`refused: ${JSON.stringify(spec)}`);
  generations.push({ ...next, at: world.clock.monotonic() });
}

export function makeApplication(scene: Scene, dice: Dice, name: string): void {
  const { world, applications } = scene;
  if (world.get(`Application/${name}`) !== undefined) return;
  const application = applications.get(name) ?? { name, generations: [] };
  writeApplication(scene, application, {
    at: 0,
    resources: someResources(name, new Map(), dice.below(2 ** 30)),
    mode: dice.once(6) ? 'detect' : 'correct',
    policy: dice.once(4) ? 'orphan' : 'delete',
    pausedUntil: undefined,
    isDeleted: false,
  });
  applications.set(name, application);
}

function deleteApplication(scene: Scene, dice: Dice): void {
  const application = someApplication(scene, dice);
  if (application === undefined) return;
  application.generations.push({ ...newest(application), at: scene.world.clock.monotonic(), isDeleted: true });
  scene.world.remove(`Application/${application.name}`);
}

/** All possible steps, with their frequencies. */
export const possibleSteps: Readonly<Record<string, PossibleStep>> = {
  edit: { weight: 36, act: edit },
  removeObject: { weight: 3, act: (scene, dice) => scene.world.remove(someKey(scene, dice)) },
  makeObject: { weight: 3, act: makeObject },
  replaceObject: { weight: 3, act: replaceObject },
  stripLabel: { weight: 2, act: stripLabel },
  spoofLabel: { weight: 2, act: spoofLabel },
  competitor: { weight: 2, act: competitor },
  update: { weight: 6, act: update },
  pause: {
    weight: 2,
    act: (scene, dice) =>
      changeApplication(scene, dice, { pausedUntil: scene.world.clock.now() + 1_000 * (1 + dice.below(300)) }),
  },
  unpause: { weight: 1, act: (scene, dice) => changeApplication(scene, dice, { pausedUntil: undefined }) },
  changeMode: {
    weight: 2,
    act: (scene, dice) => changeApplication(scene, dice, { mode: dice.of(['correct', 'correct', 'detect']) }),
  },
  changePolicy: {
    weight: 1,
    act: (scene, dice) => changeApplication(scene, dice, { policy: dice.of(['delete', 'orphan']) }),
  },
  deleteApplication: { weight: 1, act: deleteApplication },
  makeApplication: { weight: 3, act: (scene, dice) => makeApplication(scene, dice, dice.of(names)) },
  failRequests: {
    weight: 4,
    act: ({ world }, dice) => {
      world.server.failures = { kind: dice.of(requestFailures), probability: dice.of([0.3, 0.8, 1]) };
      const failures = world.server.failures;
      world.clock.setTimeout(
        () => {
          if (world.server.failures === failures) world.server.failures = undefined;
        },
        dice.of([200, 3_000, 60_000]),
      );
    },
  },
  cut: { weight: 2, act: ({ world }) => world.streams?.cut() },
  hold: { weight: 2, act: ({ world }, dice) => world.streams?.hold(dice.of([500, 5_000, 90_000])) },
  restart: {
    weight: 2,
    act: async ({ world }) => {
      await world.stop();
      world.start();
    },
  },
  kill: {
    weight: 2,
    act: ({ world }) => {
      world.kill();
      world.start();
    },
  },
};
