import { stringify } from 'yaml';
import type { DataFormat } from './dataFormats.ts';
import type { Content, shapes } from './shapes.ts';

/** Prints one object: `-o json` or `-o yaml`. */
export function printData<K extends keyof typeof shapes>(kind: K, content: Content<K>, format: DataFormat): void {
  process.stdout.write(`${dataText({ apiVersion: 'cli.weeder.dev/v1', kind, ...content }, format)}\n`);
}

/** Characters that could control a terminal, except for the line feeds between the lines. */
const unprintable = /[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|(?!\n)\p{Cc}/gu;

/** The text has no such characters: they are escaped as the format prescribes, so that reading it restores them. */
export function dataText(data: object, format: DataFormat): string {
  const json = JSON.stringify(data, null, 2);
  if (format === 'json') return json.replace(unprintable, (character) => character.split('').map(codeUnit).join(''));
  // Only in double quotes can a text of YAML have escapes.
  const quotes = new RegExp(unprintable).test(json) || json.includes('\\u') ? 'QUOTE_DOUBLE' : 'PLAIN';
  const yaml = stringify(data, {
    lineWidth: 0,
    aliasDuplicateObjects: false,
    defaultStringType: quotes,
    defaultKeyType: 'PLAIN',
  });
  return yaml.trimEnd().replace(unprintable, codePoint);
}

function codeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function codePoint(character: string): string {
  return `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`;
}
