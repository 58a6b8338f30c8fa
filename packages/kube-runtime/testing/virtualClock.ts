export { settled, type VirtualClock, virtualClock } from '../src/base/virtualClock.ts';
