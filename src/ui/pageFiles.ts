import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import files from '../../generated/page.json' with { type: 'json' };
import { accepts, type Page } from '../base/http.ts';
import { diagram } from '../diagram/diagram.ts';
import { type DiagramFormat, system } from '../diagram/formats.ts';
import { machines } from '../diagram/machines.ts';

const compress = promisify(gzip);

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  json: 'application/json; charset=utf-8',
};

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

/** Sends a text of this type, compressed if the client accepts that. */
export async function sendCompressed(
  request: IncomingMessage,
  response: ServerResponse,
  type: string,
  text: string,
  knownBody?: Buffer,
): Promise<void> {
  const isCompressed = accepts(request, 'accept-encoding', 'gzip');
  const body = isCompressed ? (knownBody ?? (await compress(text))) : Buffer.from(text);
  response.writeHead(200, {
    'content-type': types[type] ?? 'text/plain; charset=utf-8',
    'content-length': body.length,
    vary: 'accept-encoding',
    ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function file(path: string, textOf: () => string): Page {
  let cached: { readonly text: string; readonly compressed: Buffer } | undefined;
  return async (_url, request, response) => {
    const text = cached?.text ?? textOf();
    cached ??= { text, compressed: await compress(text) };
    await sendCompressed(request, response, path.slice(path.lastIndexOf('.') + 1), text, cached.compressed);
  };
}

function diagramOf(name: string, format: DiagramFormat): string {
  const drawn = diagram(name, format);
  if (!drawn.ok) throw new Error(drawn.error.message);
  return drawn.value;
}
