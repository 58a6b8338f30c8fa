import { arrayOf, type JsonObject, objectOf } from '../../../src/base/json.ts';
import { ownerOf } from '../../../src/observer/model/fieldManagers.ts';
import { type Content, contentOf, differences, elementsIn, type WantedFields } from '../oracle/plainObserver.ts';
import { conditionOf, newest, type StoryApplication, wantedOf } from './storyApplications.ts';
import type { Refusal } from './storyApplied.ts';
import { labelOf } from './storyAsks.ts';
import type { Scene } from './storyHappenings.ts';
import type { Judge } from './storyJudge.ts';
import { uidOf } from './storyWriters.ts';

/** What is not as it should be when everything has been quiet for long, and the API server friendly. */
export function faultsAtTheEnd(scene: Scene, judge: Judge): string[] {
  const applications = [...scene.applications.values()];
  const unfinished = applications.flatMap((each) => faultsOf(each, scene, judge));
  return [...unfinished, ...marksOfNobody(scene, judge)];
}

function faultsOf(application: StoryApplication, scene: Scene, judge: Judge): string[] {
  const { world } = scene;
  const { name } = application;
  const { isDeleted, mode, resources } = newest(application);
  const live = world.get(`Application/${name}`);
  if (isDeleted)
    return live === undefined ? leftOver(application, new Set(), scene, judge) : [`${name} is still there`];
  const all = [...resources].map(([key, resource]) => {
    const object = world.get(key);
    const isAnothers = isAnothersOf(object, name, scene);
    const wanted = wantedOf(resource);
    const refusal = judge.refusal(application, key);
    // Nobody can say whether a value that was there, and is nobody's, was filled in by the server.
    const isUnsure = (path: string) => wanted.filledIn.has(path) && judge.adopted.has(uidOf(object) ?? '');
    const differing =
      object === undefined
        ? ['it is not there']
        : differencesOf(wanted, refusal, contentOf(object)).filter((path) => !isUnsure(path));
    const isStrangers = object !== undefined && mode === 'correct' && !isOf(object, name) && !isAnothers;
    const isUnknown = refusal !== undefined && refusal.knows !== 'surely';
    return {
      key,
      refusal,
      isUnknown,
      isAnothers,
      differing: isStrangers ? [...differing, 'it has no label'] : differing,
    };
  });
  const inSync = conditionOf(live, 'InSync');
  const isClaimed = all.some(({ isAnothers }) => isAnothers);
  const isEqual = all.every(({ differing }) => differing.length === 0);
  const wrong = all.filter(({ differing, isAnothers, isUnknown }) => differing.length > 0 && !isAnothers && !isUnknown);
  const said =
    conditionOf(live, 'Invalid') === 'False' ? [] : [`${name} is invalid: ${JSON.stringify(live?.['status'])}`];
  // Of what is refused, and was applied by a process that is gone, nothing is observed.
  const isSaid = (inSync === 'True') === isEqual || (inSync !== 'True' && all.some(({ isUnknown }) => isUnknown));
  const status = isClaimed || isSaid ? [] : [`${name} says InSync ${inSync}: ${JSON.stringify(all)}`];
  if (mode === 'detect') return [...said, ...status];
  const isHidden = all.some(({ refusal }) => refusal !== undefined) && conditionOf(live, 'Degraded') !== 'True';
  return [
    ...said,
    ...status,
    ...(isHidden ? [`${name} does not say that a manifest of it is refused`] : []),
    ...wrong.map(({ key, differing }) => `${key} of ${name} differs: ${differing.join(', ')}`),
    ...unwritten(application, scene, judge),
    ...leftOver(application, new Set(resources.keys()), scene, judge),
  ];
}

/** By what was applied last where the newest is refused; what that one has brought in nevertheless stays. */
function differencesOf(wanted: WantedFields, refusal: Refusal | undefined, live: Content): string[] {
  if (refusal === undefined) return differences(wanted, live);
  const all = refusal.kept.map((each) => {
    const was = wantedOf(each);
    const isNew = (element: string) => wanted.elements.has(element) && !was.elements.has(element);
    const isBroughtIn = (path: string) =>
      path.endsWith('#length')
        ? elementsIn(live, path.replace('#length', '')).some(isNew)
        : wanted.fields.has(path) && wanted.fields.get(path)?.value === live.fields.get(path);
    return differences(was, live).filter((path) => !isBroughtIn(path));
  });
  return all.toSorted((a, b) => a.length - b.length)[0] ?? differences(wanted, live);
}

/** What weeder wrote last, and is not as the manifest says now. */
function unwritten(application: StoryApplication, { world }: Scene, judge: Judge): string[] {
  return [...newest(application).resources].flatMap(([key, resource]) => {
    const object = world.get(key);
    if (!isOf(object, application.name) || judge.refusal(application, key) !== undefined) return [];
    const { fields } = contentOf(object);
    const wrong = [...wantedOf(resource).fields].filter(
      ([path, { value }]) => fields.get(path) !== value && judge.writers.of(object, path) === application.name,
    );
    return wrong.map(([path]) => `${key}: ${path} is ${fields.get(path)}, as weeder wrote it, and not as it says now`);
  });
}

/** What it has applied and does not want any more is deleted, or let go of. */
function leftOver({ name }: StoryApplication, wanted: ReadonlySet<string>, { world }: Scene, judge: Judge): string[] {
  const applied = [...judge.applied].filter(([key]) => key.startsWith(`${name} `));
  return applied.flatMap(([which, uid]) => {
    const key = which.slice(name.length + 1);
    const object = world.get(key);
    if (wanted.has(key) || uidOf(object) !== uid || isUnproven(key, object, judge)) return [];
    return isOf(object, name) ? [`${key} is left over of ${name}`] : [];
  });
}

/** Its reply never came, or was never written down, and others have written it, too: it is left, and that is said. */
function isUnproven(key: string, object: JsonObject | undefined, { skipped }: Judge): boolean {
  const managers = arrayOf(objectOf(object?.['metadata'])['managedFields']).map((each) => objectOf(each)['manager']);
  return skipped.has(key) && managers.some((each) => !String(each).startsWith('weeder'));
}

/** An object without the label has nothing else of weeder's, unless somebody took only that away, and it was left for it. */
function marksOfNobody({ world, applications }: Scene, { skipped, wasApplied }: Judge): string[] {
  /** In detect nothing is deleted or released, either. */
  const isWanted = (key: string) =>
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
    return labelOf(object) === undefined && isMarked && !isWanted(key) && !skipped.has(key)
      ? [`${key} has marks, and no label`]
      : [];
  });
}

/** By the label: its name beside it may be another one. */
function isOf(object: JsonObject | undefined, name: string): boolean {
  return labelOf(object) === ownerOf({ namespace: 'shop', name }).label;
}

/** Some other application that is there has it. */
function isAnothersOf(object: JsonObject | undefined, name: string, { world, applications }: Scene): boolean {
  return [...applications.keys()].some(
    (each) => each !== name && isOf(object, each) && world.get(`Application/${each}`) !== undefined,
  );
}
