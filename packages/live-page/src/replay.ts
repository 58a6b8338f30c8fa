import type { ReplayClock, ReplayCommand } from '../protocol/protocol.ts';
import { byId, setText } from './dom.ts';
import { clockTime } from './format.ts';

interface ReplayControls {
  isShown(): boolean;
  follow(clock: ReplayClock): void;
  /** Updates the time between two messages. */
  tick(): void;
}

/** Play, pause, step, speed and seek. Native controls provide the usual keyboard access. */
export function createReplayControls(now: () => number, onFailed: () => void): ReplayControls {
  const play = byId('play', HTMLButtonElement);
  const seek = byId('seek', HTMLInputElement);
  const speed = byId('speed', HTMLSelectElement);
  let clock: ReplayClock | undefined;
  let isSeeking = false;

  function send(command: ReplayCommand): void {
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(command),
    };
    fetch('/replay', request).then(({ ok }) => {
      if (!ok) onFailed();
    }, onFailed);
  }

  function tick(): void {
    if (clock === undefined) return;
    const time = now();
    if (!isSeeking) seek.value = String(time);
    const shown = clockTime(isSeeking ? Number(seek.value) : time);
    setText(byId('replay-time', HTMLElement), `${shown} of ${clockTime(clock.endsAt)}`);
    seek.setAttribute('aria-valuetext', shown);
  }

  play.addEventListener('click', () => send({ do: clock?.isPlaying === true ? 'pause' : 'play' }));
  byId('step', HTMLButtonElement).addEventListener('click', () => send({ do: 'step' }));
  speed.addEventListener('change', () => send({ do: 'speed', speed: Number(speed.value) }));
  seek.addEventListener('input', () => {
    isSeeking = true;
    tick();
  });
  seek.addEventListener('change', () => {
    isSeeking = false;
    send({ do: 'seek', to: Number(seek.value) });
  });
  return {
    isShown: () => clock !== undefined,
    follow(next) {
      clock = next;
      byId('replay', HTMLElement).hidden = false;
      setText(play, next.isPlaying ? 'Pause' : 'Play');
      [seek.min, seek.max] = [String(next.startsAt), String(next.endsAt)];
      seek.step = String(Math.max(1, Math.round((next.endsAt - next.startsAt) / 1000)));
      if (document.activeElement !== speed) speed.value = String(next.speed);
      tick();
    },
    tick,
  };
}
