import type { ReplayClock, ReplayCommand } from '../protocol/protocol.ts';
import { byId, setText } from './dom.ts';
import { instant } from './format.ts';
import { fullTime, setTimedText } from './times.ts';

interface ReplayControls {
  isShown(): boolean;
  follow(clock: ReplayClock): void;
  seek(to: number): void;
  /** Shows the time to which the user drags; undefined: not any more. */
  drag(to: number | undefined): void;
  /** Updates the time between two messages. */
  tick(): void;
}

interface Callbacks {
  /** weeder plays the recording up to this time now, which takes up to seconds. */
  onSeek(to: number): void;
  /** A command was not accepted, for this reason: the clock is still this one. */
  onFailed(reason: string, clock: ReplayClock | undefined): void;
}

/** Play, pause, step, speed and seek. Native controls provide the usual keyboard access. */
export function createReplayControls(now: () => number, { onSeek, onFailed }: Callbacks): ReplayControls {
  const play = byId('play', HTMLButtonElement);
  const slider = byId('seek', HTMLInputElement);
  const speed = byId('speed', HTMLSelectElement);
  const refusal = byId('replay-refusal', HTMLElement);
  let clock: ReplayClock | undefined;
  /** The time to which the user drags, or which weeder has not reached yet. */
  let wanted: number | undefined;
  /** The number of seeks that weeder has not finished. */
  let seeks = 0;

  async function send(command: ReplayCommand): Promise<void> {
    const reason = await refusalOf(command);
    setText(refusal, reason === undefined ? '' : `Not accepted: ${reason}`);
    if (reason !== undefined) onFailed(reason, clock);
  }

  function tick(): void {
    if (clock === undefined) return;
    const shown = wanted ?? now();
    slider.value = String(shown);
    const text = `${instant(shown)} of ${instant(clock.endsAt)}${seeks > 0 ? ', seeking' : ''}`;
    setTimedText(byId('replay-time', HTMLElement), text, now());
    slider.setAttribute('aria-valuetext', fullTime(shown));
  }

  function drag(to: number | undefined): void {
    wanted = to;
    tick();
  }

  function seek(to: number): void {
    wanted = to;
    seeks += 1;
    onSeek(to);
    void send({ do: 'seek', to }).then(() => {
      seeks -= 1;
      if (seeks === 0) wanted = undefined;
      tick();
    });
  }

  play.addEventListener('click', () => send({ do: clock?.isPlaying === true ? 'pause' : 'play' }));
  byId('step', HTMLButtonElement).addEventListener('click', () => send({ do: 'step' }));
  speed.addEventListener('change', () => send({ do: 'speed', speed: Number(speed.value) }));
  slider.addEventListener('input', () => drag(Number(slider.value)));
  slider.addEventListener('change', () => seek(Number(slider.value)));
  return {
    isShown: () => clock !== undefined,
    follow(next) {
      clock = next;
      byId('replay', HTMLElement).hidden = false;
      setText(play, next.isPlaying ? 'Pause' : 'Play');
      [slider.min, slider.max] = [String(next.startsAt), String(next.endsAt)];
      slider.step = String(Math.max(1, Math.round((next.endsAt - next.startsAt) / 1000)));
      if (document.activeElement !== speed) speed.value = String(next.speed);
      tick();
    },
    seek,
    drag,
    tick,
  };
}

/** Sends a command. Returns the sentence of weeder, or of the browser, if it was not accepted. */
async function refusalOf(command: ReplayCommand): Promise<string | undefined> {
  const headers = { 'content-type': 'application/json' };
  try {
    const response = await fetch('/replay', { method: 'POST', headers, body: JSON.stringify(command) });
    return response.ok ? undefined : (await response.text()).trim() || `status ${response.status}`;
  } catch {
    return 'weeder cannot be reached';
  }
}
