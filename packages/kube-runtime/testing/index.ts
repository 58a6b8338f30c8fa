export { settled, type VirtualClock, virtualClock } from '../src/base/virtualClock.ts';
export { type Calling, calling } from './calling.ts';
export { clientOf, unreachable } from './clientOf.ts';
export {
  answerWith,
  type Fault,
  type FaultyServer,
  faultyServer,
  isInitialWatch,
  isResumedWatch,
  isWatch,
  type ReceivedRequest,
  type ServerAnswer,
  serverCertificate,
  statusBody,
} from './faultyServer.ts';
export { listen } from './httpServer.ts';
export { inProcess, type Refusal, type RequestFault, sendInProcess } from './inProcess.ts';
export { type MisbehavingServer, misbehavingServer } from './misbehavingServer.ts';
export { passing } from './passing.ts';
export { assertMeets, propertyRuns } from './propertyRuns.ts';
export { httpProxy, socksProxy } from './proxies.ts';
export { accessTo } from './reflecting.ts';
export { selectors } from './selectors.ts';
export { folder } from './temporaryFolder.ts';
export { type TestSink, testSink } from './testSink.ts';
export { until } from './until.ts';
export { eventLine, statusObject } from './watchLines.ts';
