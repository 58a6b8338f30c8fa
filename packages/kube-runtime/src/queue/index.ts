export { createFairQueue, type FairQueue } from './fairQueue.ts';
export { createLimitedQueue, type LimitedQueue, type Release } from './limitedQueue.ts';
export { createSchedule, type Schedule } from './schedule.ts';
export { createSemaphore, type Semaphore } from './semaphore.ts';
export { createTokenBucket } from './tokenBucket.ts';
