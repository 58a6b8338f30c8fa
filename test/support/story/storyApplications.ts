import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { type DesiredFields, desiredFields } from '../oracle/plainObserver.ts';
import { type Dice, diceOf } from './storyDraw.ts';
import { type StoryKind, type StoryResource, someResource } from './storyManifests.ts';

/** The spec of an application from a moment on. */
export interface Generation {
  /** Virtual milliseconds. */
  readonly at: number;
  readonly resources: ReadonlyMap<string, StoryResource>;
  readonly mode: 'correct' | 'detect';
  readonly policy: 'delete' | 'orphan';
  /** Epoch milliseconds. */
  readonly pausedUntil: number | undefined;
  readonly isDeleted: boolean;
}

/** An application, until another one is created under its name. */
export interface StoryApplication {
  readonly name: string;
  /** The newest is the last one. */
  readonly generations: Generation[];
}

const kinds: readonly [StoryKind, ...StoryKind[]] = ['ConfigMap', 'Deployment', 'Service'];

/** Its own three resources, and one that every application may have. */
export function poolOf(name: string): string[] {
  return [...kinds.map((kind) => `${kind}/${name}`), 'ConfigMap/shared'];
}

export function newest({ generations }: StoryApplication): Generation {
  const last = generations.at(-1);
  if (last === undefined) throw new Error('an application says something');
  return last;
}

/** Some of its possible manifests: of the existing ones about half are unchanged. */
export function someResources(name: string, before: Generation['resources'], seed: number): Generation['resources'] {
  const dice = diceOf(seed);
  const chosen = dice.some(poolOf(name).slice(0, 3), 3);
  const left = new Set(before.size > 1 ? chosen.slice(0, before.size - 1) : []);
  const added = dice.some(poolOf(name), 3);
  const keys = [
    ...new Set([...before.keys(), ...added, ...(before.size === 0 ? [poolOf(name)[dice.below(3)] ?? ''] : [])]),
  ];
  return new Map(
    keys
      .filter((key) => before.size === 0 || !left.has(key))
      .map((key) => {
        const previous = before.get(key);
        return [key, previous !== undefined && dice.once(2) ? previous : resourceOf(key, dice)] as const;
      }),
  );
}

/** A random manifest for `ConfigMap/web`. */
export function resourceOf(key: string, dice: Dice): StoryResource {
  const [kind, name = ''] = key.split('/');
  return someResource(kinds.find((each) => each === kind) ?? 'ConfigMap', name, dice.below(2 ** 30));
}

export function specOf({ resources, mode, policy, pausedUntil }: Generation): JsonObject {
  const storyResources = [...resources.values()];
  const entries = storyResources.flatMap(({ entry }) => (entry === undefined ? [] : [entry]));
  return {
    manifests: storyResources.map(({ manifest }) => manifest),
    ...(entries.length === 0 ? {} : { observerSchema: entries }),
    mode,
    deletionPolicy: policy,
    ...(pausedUntil === undefined ? {} : { pausedUntil: new Date(pausedUntil).toISOString() }),
  };
}

const desiredByResource = new WeakMap<StoryResource, DesiredFields>();

export function desiredOf(resource: StoryResource): DesiredFields {
  const desired = desiredByResource.get(resource) ?? desiredFields(resource.manifest, resource.entry);
  desiredByResource.set(resource, desired);
  return desired;
}

/** `True`, `False`, `Unknown`; undefined: the condition is missing. */
export function conditionOf(application: JsonObject | undefined, type: string): string | undefined {
  const { conditions } = objectOf(application?.['status']);
  const condition = Array.isArray(conditions)
    ? conditions.map(objectOf).find((each) => each['type'] === type)
    : undefined;
  return condition === undefined ? undefined : String(condition['status']);
}
