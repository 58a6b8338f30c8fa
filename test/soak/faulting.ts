import { setTimeout as pause } from 'node:timers/promises';
import type { ControlPlane } from '../cluster/support/controlPlane.ts';
import type { Fault, faults } from './decisions.ts';
import type { Span } from './times.ts';
import type { Wire } from './wire.ts';

/** Plays faults one after the other until `signal`, each with its repair, and notes when they were. */
export async function playFaults(
  controlPlane: ControlPlane,
  wire: Wire,
  plan: ReturnType<typeof faults>,
  note: (fault: Fault) => { to: number | undefined } & Span,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const fault = plan.next().value;
    await sleep(fault.calmMs, signal);
    if (signal.aborted) return;
    const span = note(fault);
    await play(controlPlane, wire, fault);
    span.to = Date.now();
  }
}

async function play(controlPlane: ControlPlane, wire: Wire, { what, ms }: Fault): Promise<void> {
  if (what === 'cut') wire.cut();
  else if (what === 'hold') {
    wire.hold();
    await pause(ms);
    wire.release();
  } else if (what === 'refuse') {
    wire.refuse();
    await pause(ms);
    wire.accept();
  } else if (what === 'pause') {
    await controlPlane.pauseApiServer();
    await pause(ms);
    controlPlane.resumeApiServer();
  } else {
    await controlPlane.killApiServer();
    await pause(ms);
    await controlPlane.startApiServer();
  }
}

/** Ends early, and without a word, when the signal comes. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {});
}
