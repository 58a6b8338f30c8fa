import { openApiDocuments, openApiIndex } from '../schema/openApi.ts';
import type { Storage } from '../storage/storage.ts';
import { type Exchange, sendJson, sendText } from './exchange.ts';

const root = '/openapi/v3';

/** Responds to `/openapi/v3` and its documents; returns false for other paths and unknown documents. */
export function serveOpenApi({ resources }: Storage, exchange: Exchange): boolean {
  const { path, query, response } = exchange;
  if (path !== root && !path.startsWith(`${root}/`)) return false;
  const documents = openApiDocuments(resources);
  // Plain text, as on the real server.
  if (path === root) sendText(exchange, 200, JSON.stringify(openApiIndex(documents)));
  const document = documents.get(path.slice(root.length + 1));
  if (document === undefined) return path === root;
  const { hash } = document;
  const requestedHash = query.get('hash');
  response.setHeader('etag', `"${hash}"`);
  if (requestedHash === null || requestedHash === hash) sendJson(exchange, 200, document.json);
  else {
    response.setHeader('location', `${path}?hash=${hash}`);
    sendText(exchange, 301, '');
  }
  return true;
}
