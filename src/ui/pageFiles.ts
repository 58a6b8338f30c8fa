import files from '../../generated/page.json' with { type: 'json' };
import type { Page } from '../base/http.ts';
import { diagram } from '../diagram/diagram.ts';
import { type DiagramFormat, system } from '../diagram/formats.ts';
import { machines } from '../diagram/machines.ts';
import { type Body, compressible, sendBody } from './bodies.ts';

/**
 * The files of the page by path, including the picture and the source of each machine. They are built and compressed on
 * the first request.
 */
export function pageFiles(): Readonly<Record<string, Page>> {
  const texts = Object.entries<string>(files).map(([name, text]) => [`/${name}`, () => text] as const);
  const names = [...machines.keys()];
  const pictures = [system, ...names].map((name) => [`/machines/${name}.svg`, () => diagramOf(name, 'svg')] as const);
  const sources = names.map((name) => [`/machines/${name}.json`, () => diagramOf(name, 'json')] as const);
  const pages = Object.fromEntries([...texts, ...pictures, ...sources].map(([path, text]) => [path, file(path, text)]));
  const index = pages['/index.html'];
  return index === undefined ? pages : { '/': index, ...pages };
}

function file(path: string, textOf: () => string): Page {
  let body: Body | undefined;
  return async (_url, request, response) => {
    body ??= compressible(textOf());
    await sendBody(request, response, path.slice(path.lastIndexOf('.') + 1), body);
  };
}

function diagramOf(name: string, format: DiagramFormat): string {
  const drawn = diagram(name, format);
  if (!drawn.ok) throw new Error(drawn.error.message);
  return drawn.value;
}
