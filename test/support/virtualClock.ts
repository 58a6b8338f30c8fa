export { settled, type VirtualClock, virtualClock } from '../../src/virtualClock.ts';
