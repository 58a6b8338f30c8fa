import type { PageRef } from '../protocol/pageRef.ts';

/**
 * What a view shows is in the address of the page, so that a copy of it shows the same in another browser, and Back
 * returns to it: `#services?search=db&show=notReady`, and with an object `#machine=ID?…`. A value that is not in the
 * address is the initial one.
 */
interface Address {
  /** Empty: the address names no view. */
  readonly view: string;
  readonly id: string | undefined;
  readonly parameters: URLSearchParams;
}

/** A part of a view that the address determines. */
interface Part {
  readonly initial: string;
  /** Shows a value from the address, which a user may have typed. */
  show(value: string): void;
}

/** Milliseconds between two changes by one part: a browser refuses many in a short time, such as those of a wheel. */
const pause = 400;
const parts = new Map<string, Map<string, Part>>();

/** `hash`: with its `#`. */
export function readAddress(hash: string): Address {
  const [, view = '', id, query] = /^#?([^=?]*)(?:=([^?]*))?(?:\?(.*))?$/s.exec(hash) ?? [];
  return { view, id: id === undefined ? undefined : decoded(id), parameters: new URLSearchParams(query) };
}

/** The address of an object in a view. */
function addressOf(view: string, id: string): string {
  return `#${view}=${encodeURIComponent(id)}`;
}

/** The address of the page of an object. */
export function pageAddress({ type, id }: PageRef): string {
  return addressOf(type, id);
}

/** The address of the machine view of an actor. */
export function machineAddress(actor: string): string {
  return addressOf('machine', actor);
}

/** Lets the address determine a part of a view. Returns a function that writes a new value into the address. */
export function addPart(view: string, name: string, part: Part): (value: string) => void {
  let unwritten: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    const { id, parameters, view: shown } = readAddress(location.hash);
    // The user may have left the view meanwhile.
    if (unwritten === undefined || shown !== view) return;
    if (unwritten === part.initial) parameters.delete(name);
    else parameters.set(name, unwritten);
    unwritten = undefined;
    const query = queryOf(parameters);
    history.replaceState(null, '', id === undefined ? `#${view}${query}` : addressOf(view, id) + query);
    keepInNavigation(view, query);
    timer = setTimeout(write, pause);
  }

  const partsOfView = parts.get(view) ?? new Map<string, Part>();
  partsOfView.set(name, {
    initial: part.initial,
    show(value) {
      unwritten = undefined;
      part.show(value);
    },
  });
  parts.set(view, partsOfView);
  // Before a link is followed, so that Back leads to the newest value.
  addEventListener('click', write, { capture: true });
  return (value) => {
    unwritten = value;
    if (timer === undefined) write();
  };
}

/** Lets the address determine the value of a control. `onChange`: called also when the address has changed it. */
export function addControl(
  view: string,
  name: string,
  control: HTMLInputElement | HTMLSelectElement,
  onChange: () => void,
): void {
  const write = addPart(view, name, {
    initial: control.value,
    show(value) {
      if (control.value === value) return;
      if (control instanceof HTMLSelectElement) offer(control, value);
      control.value = value;
      onChange();
    },
  });
  control.addEventListener('input', () => {
    write(control.value);
    onChange();
  });
}

/** Shows the values of the address in the parts of its view. The link to the view keeps them. */
export function restoreParts({ view, parameters }: Address): void {
  for (const [name, part] of parts.get(view) ?? []) part.show(parameters.get(name) ?? part.initial);
  keepInNavigation(view, queryOf(parameters));
}

/** With its `?`, and readable: names of objects and times have `/` and `:`, which may stand in a fragment. */
function queryOf(parameters: URLSearchParams): string {
  return parameters.size === 0 ? '' : `?${parameters}`.replaceAll('%2F', '/').replaceAll('%3A', ':');
}

/** The options of a select may arrive later, such as those for namespaces. */
function offer(select: HTMLSelectElement, value: string): void {
  if ([...select.options].some((option) => option.value === value)) return;
  select.add(new Option(value, value));
}

/** Lets the link of the navigation lead to the view as it is. */
function keepInNavigation(view: string, query: string): void {
  for (const link of document.querySelectorAll('nav a')) {
    if (readAddress(link.getAttribute('href') ?? '').view === view) link.setAttribute('href', `#${view}${query}`);
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A user may have typed the address.
    return text;
  }
}
