import { byId } from '../dom.ts';

/** The actions of the user in the chart, by key. */
type ActionName = 'zoomIn' | 'zoomOut' | 'earlier' | 'later' | 'fit' | 'previous' | 'next' | 'open';

const keys: Readonly<Record<string, ActionName>> = {
  '+': 'zoomIn',
  '=': 'zoomIn',
  '-': 'zoomOut',
  ArrowLeft: 'earlier',
  ArrowRight: 'later',
  '0': 'fit',
  p: 'previous',
  n: 'next',
  Enter: 'open',
};

const buttons: Readonly<Record<string, ActionName>> = {
  in: 'zoomIn',
  out: 'zoomOut',
  earlier: 'earlier',
  later: 'later',
  fit: 'fit',
  previous: 'previous',
  next: 'next',
};

/** Calls the actions for the buttons of the timeline, and for the keys while the chart has the focus. */
export function followControls(place: HTMLElement, actions: Readonly<Record<ActionName, () => void>>): void {
  for (const [id, name] of Object.entries(buttons))
    byId(`timeline-${id}`, HTMLButtonElement).addEventListener('click', actions[name]);
  place.addEventListener('keydown', (event) => {
    const name = keys[event.key];
    if (name === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    actions[name]();
    event.preventDefault();
  });
}
