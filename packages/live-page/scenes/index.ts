export { applicationScene, dependencyScene, manyActors, scene, workloadScene } from './scenes.ts';
export {
  actorView,
  applicationList,
  applicationView,
  dependantView,
  dependencyList,
  dependencyView,
  hello,
  resourceView,
  serviceView,
  unseenView,
  workloadView,
} from './views.ts';
