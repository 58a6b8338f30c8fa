import type { ReplayClock, ReplayCommand } from '../protocol/protocol.ts';
import { byId, setText } from './dom.ts';
import { instant } from './format.ts';
import { fullTime, setTimedText } from './times.ts';

interface ReplayControls {
  isShown(): boolean;
  follow(clock: ReplayClock): void;
  /** Updates the time between two messages. */
  tick(): void;
}

interface Callbacks {
  /** weeder plays the recording up to this time now, which takes up to seconds. */
  onSeek(to: number): void;
  /** A command was not accepted: the clock is still this one. */
  onFailed(clock: ReplayClock | undefined): void;
}

/** Play, pause, step, speed and seek. Native controls provide the usual keyboard access. */
export function createReplayControls(now: () => number, { onSeek, onFailed }: Callbacks): ReplayControls {
  const play = byId('play', HTMLButtonElement);
  const seek = byId('seek', HTMLInputElement);
  const speed = byId('speed', HTMLSelectElement);
  let clock: ReplayClock | undefined;
  let isDragging = false;
  /** The number of seeks that weeder has not finished. */
  let seeks = 0;

  function send(command: ReplayCommand): Promise<void> {
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(command),
    };
    return fetch('/replay', request).then(
      ({ ok }) => {
        if (!ok) onFailed(clock);
      },
      () => onFailed(clock),
    );
  }

  function tick(): void {
    if (clock === undefined) return;
    const time = now();
    const isSeeking = isDragging || seeks > 0;
    if (!isSeeking) seek.value = String(time);
    const shown = isSeeking ? Number(seek.value) : time;
    const text = `${instant(shown)} of ${instant(clock.endsAt)}${seeks > 0 ? ', seeking' : ''}`;
    setTimedText(byId('replay-time', HTMLElement), text, time);
    seek.setAttribute('aria-valuetext', fullTime(shown));
  }

  play.addEventListener('click', () => send({ do: clock?.isPlaying === true ? 'pause' : 'play' }));
  byId('step', HTMLButtonElement).addEventListener('click', () => send({ do: 'step' }));
  speed.addEventListener('change', () => send({ do: 'speed', speed: Number(speed.value) }));
  seek.addEventListener('input', () => {
    isDragging = true;
    tick();
  });
  seek.addEventListener('change', () => {
    const to = Number(seek.value);
    isDragging = false;
    seeks += 1;
    onSeek(to);
    void send({ do: 'seek', to }).then(() => {
      seeks -= 1;
      tick();
    });
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
