export { applicationScene, dependencyScene, manyActors, overviewScene, scene, workloadScene } from './scenes.ts';
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
  unseenView,
  workloadView,
} from './views.ts';
