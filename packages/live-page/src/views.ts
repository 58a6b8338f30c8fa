import { byId } from './dom.ts';

const names = ['services', 'dependencies', 'workloads', 'applications', 'machine', 'actors', 'timeline'] as const;
type ViewName = (typeof names)[number];

/** Shows the one view that the address names: `#actors`, `#machine=ID of an actor` or `#machine=newest:MACHINE`. */
interface Views {
  readonly shown: () => ViewName;
  /** The chosen actor, as in a request to the server. Undefined until the machine view is first shown. */
  readonly actor: () => string | undefined;
}

/** The address of the machine view of an actor. */
export function addressOf(actor: string): string {
  return `#machine=${encodeURIComponent(actor)}`;
}

/** Lets the link lead to the machine view of an actor; undefined: to nothing. */
export function linkTo(actor: string | undefined, link: HTMLAnchorElement): void {
  if (actor === undefined) link.removeAttribute('href');
  else link.setAttribute('href', addressOf(actor));
}

/** The machine of `newest:MACHINE`; undefined for the id of an actor. */
export function machineOf(actor: string): string | undefined {
  return /^newest:(.*)$/.exec(actor)?.[1];
}

/** The actor of the machine view until the user chooses one. */
const defaultActor = 'newest:endpoint';

export function createViews(onChange: () => void): Views {
  let shown: ViewName = 'services';
  let actor: string | undefined;

  function follow(): boolean {
    const [name, id] = location.hash.slice(1).split('=');
    const named = names.find((each) => each === name);
    if (named === undefined && location.hash !== '') return false;
    shown = named ?? 'services';
    if (shown === 'machine') actor = id === undefined ? (actor ?? defaultActor) : decoded(id);
    showOnly(shown);
    onChange();
    return true;
  }

  addEventListener('hashchange', () => {
    if (!follow()) return;
    scrollTo(0, 0);
    byId(`${shown}-title`, HTMLElement).focus();
  });
  // The callback uses the returned object, so it cannot be called before the return.
  queueMicrotask(follow);
  return { shown: () => shown, actor: () => actor };
}

function showOnly(shown: ViewName): void {
  for (const name of names) byId(name, HTMLElement).hidden = name !== shown;
  for (const link of document.querySelectorAll('nav a')) {
    if (link.getAttribute('href') === `#${shown}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  document.title = `${byId(`${shown}-title`, HTMLElement).textContent} · weeder`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A user may have typed the address.
    return text;
  }
}
