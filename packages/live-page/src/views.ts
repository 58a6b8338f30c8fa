import { objectTypes } from '../protocol/pageRef.ts';
import { readAddress, restoreParts } from './address.ts';
import { byId } from './dom.ts';

const names = [
  'overview',
  'services',
  'dependencies',
  'workloads',
  'applications',
  'machine',
  'actors',
  'timeline',
  'object',
] as const;
type ViewName = (typeof names)[number];

/**
 * Shows the one view that the address names: `#actors`, `#machine=ID of an actor`, `#machine=newest:MACHINE`, or the page
 * of an object, `#service=shop/db`.
 */
interface Views {
  readonly shown: () => ViewName;
  /** The chosen actor, as in a request to the server. Undefined until an address has named one. */
  readonly actor: () => string | undefined;
}

/** The machine of `newest:MACHINE`; undefined for the id of an actor. */
export function machineOf(actor: string): string | undefined {
  return /^newest:(.*)$/.exec(actor)?.[1];
}

export function createViews(onChange: () => void): Views {
  let shown: ViewName = 'overview';
  let actor: string | undefined;

  function follow(): boolean {
    const address = readAddress(location.hash);
    const isObject = objectTypes.some((each) => each === address.view);
    const named = isObject ? 'object' : names.find((each) => each === address.view && each !== 'object');
    if (named === undefined && address.view !== '') return false;
    shown = named ?? 'overview';
    if (shown === 'machine' && address.id !== undefined) actor = address.id;
    showOnly(shown);
    restoreParts({ ...address, view: shown });
    onChange();
    return true;
  }

  addEventListener('hashchange', () => {
    if (!follow()) return;
    scrollTo(0, 0);
    byId(`${shown}-title`, HTMLElement).focus();
  });
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const search = document.getElementById(`${shown}-search`);
    if (search === null) return;
    search.focus();
    event.preventDefault();
  });
  // The callback uses the returned object, so it cannot be called before the return.
  queueMicrotask(follow);
  return { shown: () => shown, actor: () => actor };
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
}

function showOnly(shown: ViewName): void {
  for (const name of names) byId(name, HTMLElement).hidden = name !== shown;
  for (const link of document.querySelectorAll('nav a')) {
    if (readAddress(link.getAttribute('href') ?? '').view === shown) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  document.title = `${byId(`${shown}-title`, HTMLElement).textContent} · weeder`;
}
