import { byId, create, setText } from './dom.ts';
import { instant } from './format.ts';

/** The address chooses UTC with `?time=utc`. Otherwise all times are in the time zone of the browser. */
const isUtc = new URLSearchParams(location.search).get('time') === 'utc';
const timeZone = isUtc ? 'UTC' : undefined;
const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
const date = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const time = new Intl.DateTimeFormat('en-GB', { ...clock, timeZone });
const day = new Intl.DateTimeFormat('en-GB', { ...date, timeZone });
const whole = new Intl.DateTimeFormat('en-GB', { ...date, ...clock, timeZone, timeZoneName: 'short' });
const instants = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** `14:03:07`. `at`: epoch milliseconds. */
export function clockTime(at: number): string {
  return time.format(at);
}

/** `14:03:07` of today, `20 Nov 2026, 14:03:07` of another day. Epoch milliseconds. */
export function dayAndTime(at: number, now: number): string {
  const [then, today] = [day.format(at), day.format(now)];
  return then === today ? clockTime(at) : `${then}, ${clockTime(at)}`;
}

/** `21 Nov 2026, 14:03:07 CET (2026-11-21T13:03:07Z)` */
export function fullTime(at: number): string {
  return `${whole.format(at)} (${instant(at).replace(/\.\d+/, '')})`;
}

/** A time of the day, with its date if that is not the one of `now`. Its tooltip has date, zone and UTC. */
export function timeElement(at: number, now = at): HTMLTimeElement {
  return create('time', { text: dayAndTime(at, now), attributes: { datetime: instant(at), title: fullTime(at) } });
}

/** The text with a `<time>` in place of each time, which is as in RFC 3339 and UTC: `2026-11-21T22:00:00Z`. */
export function timedText(text: string, now: number): Node[] {
  const parts = text.split(instants).filter((part) => part !== '');
  return parts.map((part) => (instants.test(part) ? timeElement(Date.parse(part), now) : new Text(part)));
}

/** Shows the text as `timedText` returns it. What has not changed stays, so that an open tooltip does. */
export function setTimedText(element: Element, text: string, now: number): void {
  if (!instants.test(text)) {
    setText(element, text);
    return;
  }
  const nodes = timedText(text, now);
  for (const [index, node] of nodes.entries()) {
    const old = element.childNodes[index];
    if (old === undefined) element.append(node);
    else if (!old.isEqualNode(node)) old.replaceWith(node);
  }
  while (element.childNodes.length > nodes.length) element.lastChild?.remove();
}

/** Times that are not of today any more get their date. What is shown of lists is written again anyway. */
export function dateTimes(element: Element, now: number): void {
  for (const each of element.querySelectorAll('time')) setText(each, dayAndTime(Date.parse(each.dateTime), now));
}

/** The switch between local times and UTC. The choice is in the address, with which the page is loaded again. */
export function followTimeZone(): void {
  const choice = byId('time-zone', HTMLSelectElement);
  choice.value = isUtc ? 'utc' : 'local';
  choice.addEventListener('change', () => {
    const url = new URL(location.href);
    if (choice.value === 'utc') url.searchParams.set('time', 'utc');
    else url.searchParams.delete('time');
    location.assign(url);
  });
}
