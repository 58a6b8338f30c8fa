import type { Health } from '../protocol/health.ts';

/** Returns the element of index.html with this id. Throws if it does not exist or has another type. */
export function byId<T extends Element>(id: string, kind: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no such element: ${id}`);
  return element;
}

interface Parts {
  readonly class?: string;
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

export function create<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  parts: Parts = {},
  ...children: readonly Node[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, parts, children);
  return element;
}

export function createSvg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  parts: Parts = {},
  ...children: readonly Node[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  fill(element, parts, children);
  return element;
}

function fill(element: Element, parts: Parts, children: readonly Node[]): void {
  if (parts.class !== undefined) element.setAttribute('class', parts.class);
  if (parts.text !== undefined) element.textContent = parts.text;
  for (const [name, value] of Object.entries(parts.attributes ?? {})) element.setAttribute(name, value);
  element.append(...children);
}

/** Sets the text of the element if it differs. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Shows the sign of this health; undefined: none. */
export function setHealth(element: HTMLElement, health: Health | undefined): void {
  if (health === undefined) element.removeAttribute('data-health');
  else element.dataset['health'] = health;
}

/** Limits calls to one per animation frame. In a hidden page there are none. */
export function onceAFrame(call: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      call();
    });
  };
}
