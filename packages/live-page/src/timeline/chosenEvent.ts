import type { Moment } from '../../protocol/moment.ts';
import { addPart } from '../address.ts';
import { instant } from '../format.ts';

/** The event that the user has chosen. It is in the address, which may name it before the page knows it. */
interface ChosenEvent {
  get(): Moment | undefined;
  choose(moment: Moment | undefined): void;
  /** Finds it among these moments. Returns one that is shown for the first time since the address named it. */
  find(moments: readonly Moment[]): Moment | undefined;
}

/** `onNamed`: the address names another event. */
export function createChosenEvent(onNamed: () => void): ChosenEvent {
  let name = '';
  let chosen: Moment | undefined;
  let isSought = false;
  const write = addPart('timeline', 'event', {
    initial: '',
    show(value) {
      if (value === name) return;
      name = value;
      isSought = value !== '';
      onNamed();
    },
  });

  return {
    get: () => chosen,
    choose(moment) {
      chosen = moment;
      name = moment === undefined ? '' : nameOf(moment);
      isSought = false;
      write(name);
    },
    find(moments) {
      const at = Date.parse(name.split('/', 1)[0] ?? '');
      const isChosen = (moment: Moment) => Math.floor(moment.t) === at && nameOf(moment) === name;
      // Moments that arrive again after the connection was lost are other objects.
      if (chosen === undefined || !isChosen(chosen) || !moments.includes(chosen)) chosen = moments.find(isChosen);
      if (chosen === undefined || !isSought) return undefined;
      isSought = false;
      return chosen;
    },
  };
}

/** `2026-11-21T14:03:04.000Z/pod.deleted/shop/api-1`: of two in the same millisecond it means the first. */
function nameOf({ t, what, about, pod }: Moment): string {
  return [instant(t), what, pod ?? about].join('/');
}
