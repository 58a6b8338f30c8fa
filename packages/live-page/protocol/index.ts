export type { ActorView } from './actorView.ts';
export type { ApplicationList, ApplicationView, DriftView, ResourceView } from './applicationView.ts';
export { count, instant } from './format.ts';
export {
  countByHealth,
  type Health,
  type HealthFilter,
  healthFilters,
  healthRank,
} from './health.ts';
export type { Moment } from './moment.ts';
export { kindOf, type MomentKind } from './momentKinds.ts';
export {
  type ObjectLine,
  type ObjectPart,
  type ObjectSection,
  type ObjectView,
  objectSection,
} from './objectView.ts';
export { createOngoing } from './ongoing.ts';
export {
  type ConfigView,
  type ControllerSummary,
  type Did,
  type DidCount,
  type Overview,
  type OverviewGroup,
  type OverviewPart,
  overviewGroup,
  overviewSummary,
  type ProblemGroup,
  type ProcessView,
  quantity,
  type Severity,
  type StreamView,
  severities,
} from './overviewView.ts';
export { nameOfPage, type ObjectType, objectTypes, type PageRef } from './pageRef.ts';
export {
  type ActorOrder,
  type ActorPage,
  actorOrders,
  type DeletionFailure,
  type DependantView,
  type DependencyList,
  type DependencyView,
  type LeadershipView,
  type PageMessage,
  type ReplayClock,
  type ReplayCommand,
  type ServiceFilter,
  type ServiceView,
  type SuggestionList,
  type SuggestionView,
  serviceFilters,
  type Transition,
} from './protocol.ts';
export { healthOfService, isShown, isUp, serviceRank } from './serviceFilter.ts';
export { describeState, problemsOf, stateWithoutWindow } from './serviceWords.ts';
export {
  observerDisplay,
  observerStates,
  type StateDisplay,
  serviceStates,
  workloadDisplay,
  workloadStates,
} from './states.ts';
export type { WorkloadList, WorkloadView } from './workloadView.ts';
export { compareNames, worstFirst } from './worstFirst.ts';
