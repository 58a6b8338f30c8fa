export type { ApplicationList, ApplicationView, DriftView, ResourceView } from './applicationView.ts';
export { countByHealth, type HealthFilter, healthFilters, healthRank } from './health.ts';
export type { Moment } from './moment.ts';
export { createOngoing } from './ongoing.ts';
export type { PodServiceView, PodView } from './podView.ts';
export {
  type ActorOrder,
  type ActorPage,
  type ActorView,
  actorOrders,
  type DependantView,
  type DependencyList,
  type DependencyView,
  type LeadershipView,
  type PageMessage,
  type ReplayClock,
  type ReplayCommand,
  type ServiceFilter,
  type ServiceView,
  serviceFilters,
  type Transition,
} from './protocol.ts';
export { isShown, serviceRank } from './serviceFilter.ts';
export { observerDisplay, observerStates, type StateDisplay, workloadDisplay, workloadStates } from './states.ts';
export type { WorkloadList, WorkloadView } from './workloadView.ts';
export { compareNames, worstFirst } from './worstFirst.ts';
