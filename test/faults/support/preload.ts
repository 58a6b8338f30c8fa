/**
 * Loaded into weeder before its own code, by `--import`. On SIGUSR2 it reads by how much the wall clock is off,
 * collects garbage, and reports that: a test can then let the clock jump, and check the memory that is really used.
 * The monotonic clock, timers and OpenSSL's time are not changed.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL(import.meta.url).searchParams.get('file') ?? '';
const RealDate = Date;
let offset = 0;
const now = () => RealDate.now() + offset;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});

process.on('SIGUSR2', () => {
  const { turn, shiftedBy } = JSON.parse(readFileSync(file, 'utf8'));
  offset = shiftedBy;
  globalThis.gc?.();
  writeFileSync(`${file}.done`, String(turn));
});
