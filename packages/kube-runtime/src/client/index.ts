export { acceptOf } from './accept.ts';
export { type ApiResult, createKubeClient, type KubeClient, type RequestOutcome, type StreamResult } from './client.ts';
export {
  backgroundClient,
  countingClient,
  dryRunClient,
  type LeaderCheck,
  leaderGate,
  notLeading,
} from './clientWrappers.ts';
export { denialOf, describeFailure } from './describeFailure.ts';
export { discoveringClient } from './discovery.ts';
export { type ApiFailure, classify, classifyStatus, type FailureCause, type FailureType } from './failure.ts';
export {
  hasCause,
  hasOwnMessage,
  isAdmissionNotReady,
  isDenied,
  isImpersonationDenied,
  isOtherUid,
  isRecoverable,
  isTransient,
  isUnservedPath,
} from './failureClass.ts';
export { createPortForward, type PortForward } from './portForward.ts';
export { refuserOf } from './refuser.ts';
export type { ApiRequest } from './request.ts';
