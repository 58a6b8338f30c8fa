export { lineSplitter } from './lines.ts';
export { startListWatch } from './listWatch.ts';
export { type ChangeType, type LineMetadata, readLineMetadata } from './metadataFastPath.ts';
export { readMetadataHead } from './metadataHead.ts';
export { listPages } from './pagedList.ts';
export { provideReflector } from './reflector.ts';
export { createSharedObjects, type StreamObjects } from './sharedObjects.ts';
export { type ClosableSink, forwardingTo, notifyingComplete, type ObjectSink } from './sink.ts';
export type { StreamNeed } from './streamNeed.ts';
export { createStreamSet, type OpenStream, type StreamSet } from './streamSet.ts';
export {
  createStreamStatuses,
  type StreamState,
  type StreamStatus,
  type StreamStatuses,
  type StreamTotals,
} from './streamStatus.ts';
export { takeObject } from './takeObject.ts';
export { longestFirstList, unavailableStreams } from './unavailableStreams.ts';
export { type LineOutcome, watchReader } from './watchEvents.ts';
export { type WatchSource, watchOnce } from './watchOnce.ts';
export { createWatchTimeouts } from './watchTimeouts.ts';
