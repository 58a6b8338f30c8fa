import { type KubeObject, textAt } from '../meta/objects.ts';
import type { Resource } from '../registry/resource.ts';

/** A parsed field selector, or the API server's message about its error. */
type ParsedFields =
  | { readonly ok: true; readonly matches: (object: KubeObject) => boolean }
  | { readonly ok: false; readonly message: string };

/** Parses `fieldSelector=`: `path=value`, `==` and `!=`, joined by commas; a backslash escapes a comma. */
export function parseFieldSelector(resource: Resource, text: string): ParsedFields {
  const tests: ((object: KubeObject) => boolean)[] = [];
  for (const term of text.split(/(?<!\\),/)) {
    if (term === '') continue;
    const [, name, operator, value] = /^([^=]*?)(!=|==?)(.*)$/.exec(term) ?? [];
    if (name === undefined || value === undefined) {
      return { ok: false, message: `invalid selector: '${text}'; can't understand '${term}'` };
    }
    const path = pathOf(resource, name);
    if (path === undefined) return { ok: false, message: unknownField(resource, name) };
    const expected = value.replace(/\\([\\,=])/g, '$1');
    const keys = path.split('.');
    tests.push((object) => (textAt(object, keys) === expected) === (operator !== '!='));
  }
  return { ok: true, matches: (object) => tests.every((test) => test(object)) };
}

function pathOf(resource: Resource, name: string): string | undefined {
  if (name === 'metadata.name' || name === 'metadata.namespace') return name;
  return Object.hasOwn(resource.selectable, name) ? resource.selectable[name] : undefined;
}

function unknownField({ selectable }: Resource, name: string): string {
  if (Object.keys(selectable).length > 0) return `field label not supported: ${name}`;
  return `"${name}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
}
