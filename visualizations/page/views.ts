import { byId } from './dom.ts';

const names = ['services', 'machine', 'actors', 'timeline'] as const;
export type ViewName = (typeof names)[number];

/** One view is shown at a time: the one that the address names, as `#actors` or `#machine=ID of an actor`. */
export interface Views {
  readonly shown: () => ViewName;
  /** The id of the actor in the address. */
  readonly actor: () => string | undefined;
}

/** What the address of a machine view looks like. */
export function addressOf(actor: string): string {
  return `#machine=${encodeURIComponent(actor)}`;
}

export function createViews(onChange: () => void): Views {
  let shown: ViewName = 'services';
  let actor: string | undefined;

  function follow(): boolean {
    const [name, id] = location.hash.slice(1).split('=');
    const named = names.find((each) => each === name);
    if (named === undefined && location.hash !== '') return false;
    shown = named ?? 'services';
    if (id !== undefined) actor = decoded(id);
    for (const each of names) byId(each, HTMLElement).hidden = each !== shown;
    for (const link of document.querySelectorAll('nav a')) {
      const target = link.getAttribute('href')?.slice(1);
      if (target === shown) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    document.title = `${byId(`${shown}-title`, HTMLElement).textContent} · weeder`;
    onChange();
    return true;
  }

  addEventListener('hashchange', () => {
    if (!follow()) return;
    scrollTo(0, 0);
    byId(`${shown}-title`, HTMLElement).focus();
  });
  // The caller has to have what is returned here before it is called.
  queueMicrotask(follow);
  return { shown: () => shown, actor: () => actor };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // An address that somebody wrote by hand.
    return text;
  }
}
