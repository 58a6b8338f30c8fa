import type { ActorView } from '../../protocol/actorView.ts';
import type { Transition } from '../../protocol/protocol.ts';
import { machineAddress } from '../address.ts';
import { byId, setText } from '../dom.ts';
import { innermost, instant, span, statePath } from '../format.ts';
import { setTimedText } from '../times.ts';
import { machineOf } from '../views.ts';
import { createSourceCopy } from './copySource.ts';
import { createPaced } from './paced.ts';
import { createPicture } from './picture.ts';
import { runningMachine } from './runningMachine.ts';
import { createTransitionList } from './transitionList.ts';

/** The chosen actor: its statechart with the active states, and its transitions while the page has shown it. */
interface MachineView {
  show(actor: ActorView, transition: Transition | undefined): void;
  /** The actor does not exist, or has stopped. */
  stopped(): void;
  /** Chooses another actor, or the newest actor of a machine, and clears the view. */
  choose(id: string): void;
  /** Opens a machine that runs, unless the user has chosen one meanwhile. */
  open(isStillOpen: () => boolean): Promise<void>;
  tick(): void;
}

/** The minimum time for which a transition is shown; milliseconds. */
const step = 450;

interface Shown {
  readonly actor: ActorView;
  readonly transition: Transition | undefined;
}

export function createMachineView(now: () => number): MachineView {
  const picture = createPicture(byId('picture', HTMLElement), {
    fitted: byId('machine-fit', HTMLButtonElement),
    following: byId('machine-active', HTMLButtonElement),
    closer: byId('machine-in', HTMLButtonElement),
    farther: byId('machine-out', HTMLButtonElement),
  });
  const list = createTransitionList();
  const source = createSourceCopy();
  const pick = byId('machine-pick', HTMLSelectElement);
  let chosen = '';
  /** The actor that was last chosen by id, to return to from the newest actor of a machine. */
  let byHand: string | undefined;
  let shown: ActorView | undefined;
  let hasEnded = false;
  /** The machine of the picture. */
  let drawn: string | undefined;
  const paced = createPaced((item: Shown | 'stopped') => {
    if (item === 'stopped') showStopped();
    else showNow(item);
  }, step);

  function setField(name: string, text: string): void {
    setText(byId(`machine-${name}`, HTMLElement), text);
  }

  function tick(): void {
    if (shown !== undefined)
      setTimedText(byId('machine-since', HTMLElement), `${instant(shown.since)} (${span(now() - shown.since)})`, now());
  }

  function draw(machine: string): void {
    byId('machine-view', HTMLElement).hidden = false;
    setField('title', `Machine: ${machine}`);
    if (machine !== drawn) source.of(machine);
    drawn = machine;
    picture.show(machine);
  }

  function showNow({ actor, transition }: Shown): void {
    if (actor.id !== shown?.id || hasEnded) list.begin(actor.id);
    hasEnded = false;
    shown = actor;
    byId('machine-none', HTMLElement).hidden = true;
    setField('actor', actor.id);
    setField('state', innermost(actor.states).map(statePath).join(', '));
    setField('waits', actor.waitsFor.join(', ') || '–');
    tick();
    picture.light(actor.states);
    if (transition !== undefined) {
      list.add(transition);
      picture.take(transition);
    }
    draw(actor.machine);
  }

  function showStopped(): void {
    const none = byId('machine-none', HTMLElement);
    const machine = machineOf(chosen);
    if (shown === undefined) {
      none.hidden = false;
      setText(none, machine === undefined ? `The actor ${chosen} does not exist.` : waiting(machine));
    } else if (!hasEnded) {
      setField('state', `${byId('machine-state', HTMLElement).textContent} (it has ended)`);
      setField('waits', '–');
    }
    hasEnded = true;
  }

  pick.addEventListener('change', () => {
    if (pick.value !== '') location.hash = machineAddress(`newest:${pick.value}`);
    else location.hash = byHand === undefined ? '#actors' : machineAddress(byHand);
  });
  return {
    show: (actor, transition) => paced.add({ actor, transition }),
    stopped: () => paced.add('stopped'),
    choose(id) {
      const machine = machineOf(id);
      chosen = id;
      shown = undefined;
      hasEnded = false;
      if (machine === undefined) byHand = id;
      pick.value = machine ?? '';
      paced.clear();
      list.clear();
      picture.light([]);
      picture.take(undefined);
      for (const name of ['actor', 'state', 'since', 'waits']) setField(name, '–');
      byId('machine-none', HTMLElement).hidden = true;
      byId('machine-view', HTMLElement).hidden = true;
      setField('title', 'Machine');
      drawn = undefined;
      source.of(undefined);
      if (machine !== undefined) draw(machine);
    },
    async open(isStillOpen) {
      const names = [...pick.options].flatMap(({ value }) => (value === '' ? [] : [value]));
      const machine = await runningMachine(names);
      // In place of the address without a machine, so that Back leads to the view before.
      if (isStillOpen()) location.replace(machineAddress(`newest:${machine}`));
    },
    tick,
  };
}

function waiting(machine: string): string {
  return `No ${machine} actor is running. The next one is shown when it starts.`;
}
