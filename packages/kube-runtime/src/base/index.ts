export { putBounded } from './bounded.ts';
export { type Clock, sleep, systemClock, type TimerHandle, timeInSeconds } from './clock.ts';
export { durationInSeconds, formatDuration, parseDuration, roundedDuration } from './duration.ts';
export { ExactInteger, integerOf, parseJson } from './exactInteger.ts';
export { largest, smallest } from './extremes.ts';
export { arrayOf, isObject, type JsonObject, numberOf, objectOf, textOf, timeOf } from './json.ts';
export { type CodedError, codedErrors, type ErrorTable, failed, messageOf, ok, type Result } from './result.ts';
export { truncate } from './truncate.ts';
export { settled, type VirtualClock, virtualClock } from './virtualClock.ts';
