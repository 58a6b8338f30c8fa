export { type LeadershipEvent, type LeaseEvent, lease } from '../machines/lease.ts';
export { type ReflectorEvent, reflector, type StreamInput } from '../machines/reflector.ts';
