import { printable } from '../../base/printable.ts';
import { dnsLabel } from '../../config/schema/names.ts';

/** The namespaces, sources and keys that people name in annotations, by the rules that the API server holds. */

const label = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const sourceName = new RegExp(`^(?=.{1,253}$)${label}(?:\\.${label})*$`);
const keyName = /^[-._a-zA-Z0-9]{1,253}$/;

export function isNamespaceName(text: string): boolean {
  return dnsLabel.pattern.test(text);
}

/** Whether a ConfigMap or Secret can have this name. */
export function isSourceName(text: string): boolean {
  return sourceName.test(text);
}

/** Whether a ConfigMap or Secret can have a key of this name. */
export function isKeyName(text: string): boolean {
  return keyName.test(text);
}

/** The entries of a list such as `a, b`: without the spaces around them, and without empty ones. */
export function entriesOf(list: string): string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** A text of somebody else's as a sentence can quote it: on one line, and not longer than it takes to recognise it. */
export function quoted(text: string): string {
  return printable(JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text));
}
