/**
 * Code that `--import` loads into weeder before its own code. On SIGUSR2 it reads the offset of the wall clock,
 * collects garbage, and writes a file when it has done so. With it, a test can shift the clock and measure memory.
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
  const { sequence, shiftedBy } = JSON.parse(readFileSync(file, 'utf8'));
  offset = shiftedBy;
  globalThis.gc?.();
  writeFileSync(`${file}.done`, String(sequence));
});
