export { type ConditionName, conditionNames, conditionsAt } from './conditions.ts';
export {
  applicationScene,
  dependencyScene,
  manyActors,
  objectScene,
  overviewScene,
  scene,
  workloadScene,
} from './scenes.ts';
export {
  actorView,
  applicationList,
  applicationView,
  dependantView,
  dependencyList,
  dependencyView,
  hello,
  objectView,
  overviewView,
  processView,
  resourceView,
  serviceView,
  suggestionView,
  unseenView,
  workloadView,
} from './views.ts';
