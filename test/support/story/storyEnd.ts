import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { ownerOf } from '../../../src/observer/objects/fieldManagers.ts';
import { type Content, contentOf, type DesiredFields, differences, elementsIn } from '../oracle/plainObserver.ts';
import { conditionOf, desiredOf, newest, type StoryApplication } from './storyApplications.ts';
import type { Refusal } from './storyApplied.ts';
import { labelOf } from './storyCalls.ts';
import type { Judge } from './storyJudge.ts';
import type { Scene } from './storySteps.ts';
import { uidOf } from './storyWriters.ts';

/** The errors that remain after a long time without changes or failures. */
export function violationsAtTheEnd(scene: Scene, judge: Judge): string[] {
  const applications = [...scene.applications.values()];
  const unfinished = applications.flatMap((each) => violationsOf(each, scene, judge));
  return [...unfinished, ...staleMarks(scene, judge)];
}

function violationsOf(application: StoryApplication, scene: Scene, judge: Judge): string[] {
  const { world } = scene;
  const { name } = application;
  const { isDeleted, mode, resources } = newest(application);
  const live = world.get(`Application/${name}`);
  if (isDeleted) return live === undefined ? leftOver(application, new Set(), scene, judge) : [`${name} still exists`];
  const comparisons = [...resources].map(([key, resource]) => {
    const object = world.get(key);
    const isAnothers = isAnothersOf(object, name, scene);
    const desired = desiredOf(resource);
    const refusal = judge.refusal(application, key);
    // It is not known whether an existing value without an owner is a default of the server.
    const isUnsure = (path: string) => desired.filledIn.has(path) && judge.adopted.has(uidOf(object) ?? '');
    const deviations =
      object === undefined ? ['it does not exist'] : differencesOf(desired, refusal, contentOf(object));
    const differing = deviations.filter((path) => !isUnsure(path));
    const isForeign = object !== undefined && mode === 'correct' && !isOf(object, name) && !isAnothers;
    const isUnknown = refusal !== undefined && refusal.knows !== 'surely';
    return {
      key,
      refusal,
      isUnknown,
      isPerhapsDifferent: deviations.length > differing.length,
      isAnothers,
      differing: isForeign ? [...differing, 'it has no label'] : differing,
    };
  });
  const inSync = conditionOf(live, 'InSync');
  const isClaimed = comparisons.some(({ isAnothers }) => isAnothers);
  const isEqual = comparisons.every(({ differing }) => differing.length === 0);
  const wrong = comparisons.filter(
    ({ differing, isAnothers, isUnknown }) => differing.length > 0 && !isAnothers && !isUnknown,
  );
  const invalid =
    conditionOf(live, 'Invalid') === 'False' ? [] : [`${name} is invalid: ${JSON.stringify(live?.['status'])}`];
  // Of a refused manifest whose predecessor was applied by an earlier process, nothing is observed.
  const isUncertain = comparisons.some(({ isUnknown, isPerhapsDifferent }) => isUnknown || isPerhapsDifferent);
  const isReported = (inSync === 'True') === isEqual || (inSync !== 'True' && isUncertain);
  const status = isClaimed || isReported ? [] : [`${name} says InSync ${inSync}: ${JSON.stringify(comparisons)}`];
  if (mode === 'detect') return [...invalid, ...status];
  const isHidden = comparisons.some(({ refusal }) => refusal !== undefined) && conditionOf(live, 'Degraded') !== 'True';
  return [
    ...invalid,
    ...status,
    ...(isHidden ? [`${name} does not report that a manifest is refused`] : []),
    ...wrong.map(({ key, differing }) => `${key} of ${name} differs: ${differing.join(', ')}`),
    ...unwritten(application, scene, judge),
    ...leftOver(application, new Set(resources.keys()), scene, judge),
  ];
}

/** By the last applied manifest if the newest is refused; fields that the newest one has set anyway remain. */
function differencesOf(desired: DesiredFields, refusal: Refusal | undefined, live: Content): string[] {
  if (refusal === undefined) return differences(desired, live);
  const candidates = refusal.lastApplied.map((resource) => {
    const was = desiredOf(resource);
    const isNew = (element: string) => desired.elements.has(element) && !was.elements.has(element);
    const isSetByNewest = (path: string) =>
      path.endsWith('#length')
        ? elementsIn(live, path.replace('#length', '')).some(isNew)
        : desired.fields.has(path) && desired.fields.get(path)?.value === live.fields.get(path);
    return differences(was, live).filter((path) => !isSetByNewest(path));
  });
  return candidates.toSorted((a, b) => a.length - b.length)[0] ?? differences(desired, live);
}

/** Fields that weeder wrote last, and that differ from the current manifest. */
function unwritten(application: StoryApplication, { world }: Scene, judge: Judge): string[] {
  return [...newest(application).resources].flatMap(([key, resource]) => {
    const object = world.get(key);
    if (!isOf(object, application.name) || judge.refusal(application, key) !== undefined) return [];
    const { fields } = contentOf(object);
    const wrong = [...desiredOf(resource).fields].filter(
      ([path, { value }]) => fields.get(path) !== value && judge.writers.of(object, path) === application.name,
    );
    return wrong.map(
      ([path]) => `${key}: ${path} is ${fields.get(path)}, as weeder wrote it, which is not in its manifest`,
    );
  });
}

/** Objects that it has applied and that left the manifests are deleted, or released. */
function leftOver({ name }: StoryApplication, desired: ReadonlySet<string>, { world }: Scene, judge: Judge): string[] {
  const applied = [...judge.applied].filter(([key]) => key.startsWith(`${name} `));
  return applied.flatMap(([which, uid]) => {
    const key = which.slice(name.length + 1);
    const object = world.get(key);
    if (desired.has(key) || uidOf(object) !== uid || isUnconfirmed(key, object, judge)) return [];
    return isOf(object, name) ? [`${key} is left over of ${name}`] : [];
  });
}

/** Its reply was lost or never stored, and other clients have written it, too: it is skipped, and reported. */
function isUnconfirmed(key: string, object: JsonObject | undefined, { skipped }: Judge): boolean {
  const managers = arrayOf(objectOf(object?.['metadata'])['managedFields']).map((each) => objectOf(each)['manager']);
  return skipped.has(key) && managers.some((each) => !String(each).startsWith('weeder'));
}

/** An object without the label has no other marks of weeder, unless a client removed only the label. */
function staleMarks({ world, applications }: Scene, { skipped, wasApplied }: Judge): string[] {
  /** In mode detect nothing is deleted or released, either. */
  const isDesired = (key: string) =>
    [...applications.values()].some(({ name, generations }) => {
      const { resources, mode, isDeleted } = newest({ name, generations });
      const those = mode === 'detect' && !isDeleted ? generations : [{ resources }];
      return those.some((each) => each.resources.has(key));
    });
  return [...world.objects()].flatMap(([key, object]) => {
    const { managedFields, annotations } = objectOf(object['metadata']);
    const managers = arrayOf(managedFields).map((each) => String(objectOf(each)['manager']));
    // People may write the name themselves.
    const isNamed = 'weeder.dev/application-name' in objectOf(annotations) && wasApplied(uidOf(object));
    const isMarked = isNamed || managers.some((each) => each.startsWith('weeder'));
    return labelOf(object) === undefined && isMarked && !isDesired(key) && !skipped.has(key)
      ? [`${key} has marks of weeder, but no label`]
      : [];
  });
}

/** By the label: the name in the annotation may differ. */
function isOf(object: JsonObject | undefined, name: string): boolean {
  return labelOf(object) === ownerOf({ namespace: 'shop', name }).label;
}

/** Another existing application owns it. */
function isAnothersOf(object: JsonObject | undefined, name: string, { world, applications }: Scene): boolean {
  return [...applications.keys()].some(
    (each) => each !== name && isOf(object, each) && world.get(`Application/${each}`) !== undefined,
  );
}
