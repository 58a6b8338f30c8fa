import { type JsonObject, objectOf } from '../../base/json.ts';
import { failed, ok } from '../../base/result.ts';
import { failure, methodNotAllowed, notFound, type Outcome } from '../meta/status.ts';
import { mergePatch } from '../patch/mergePatch.ts';
import { changeScale, scaleOf } from '../registry/scale.ts';
import { type Exchange, mediaTypeOf } from './exchange.ts';
import { writeOptions } from './options.ts';
import { jsonBody, type Target, type Written } from './writes.ts';

/** GET, PUT and PATCH (a merge patch) of the scale of a workload. */
export async function onScale(target: Target, exchange: Exchange): Promise<Outcome<Written>> {
  const { storage, resource, namespace, name } = target;
  const { method } = exchange;
  if (method === 'GET') {
    const object = storage.collectionOf(resource).get(namespace, name);
    return object === undefined ? failed(notFound(resource, name)) : written(ok(scaleOf(object)));
  }
  if (method !== 'PUT' && method !== 'PATCH') return failed(methodNotAllowed);
  if (method === 'PATCH' && !/^application\/(strategic-)?merge-patch\+json$/.test(mediaTypeOf(exchange))) {
    return failed(failure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {}));
  }
  const body = await jsonBody(exchange);
  const options = writeOptions(exchange, method === 'PUT' ? 'Update' : 'Patch', undefined);
  if (!body.ok) return body;
  if (!options.ok) return options;
  const given = objectOf(body.value);
  const next = (scale: JsonObject) => ok(method === 'PUT' ? given : mergePatch(scale, given));
  return written(changeScale(storage, resource, namespace, name, next, options.value));
}

function written(scale: Outcome<JsonObject>): Outcome<Written> {
  return scale.ok ? ok({ code: 200, content: { type: 'value', value: scale.value } }) : scale;
}
