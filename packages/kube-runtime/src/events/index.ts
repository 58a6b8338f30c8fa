export { boundedDraft, sizeOf } from './bounds.ts';
export { type EventDraft, eventsPath, type ObjectRef } from './event.ts';
export { consequenceOf } from './eventFailure.ts';
export { noLosses } from './eventLosses.ts';
export { createEventRecorder } from './events.ts';
export { isIntermediate } from './identify.ts';
