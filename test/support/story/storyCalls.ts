import { arrayOf, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import type { ApiCall } from '../world/simulatedServer.ts';
import { uidOf } from './storyWriters.ts';

export function isApplication({ named }: ApiCall): boolean {
  return named?.resource.kind === 'Application';
}

/** `ConfigMap/web`. */
export function keyOf({ named }: ApiCall): string {
  return `${named?.resource.kind}/${named?.name}`;
}

/** `a0 ConfigMap/web`: the application, and the object. */
export function idOf(call: ApiCall): string {
  return `${ownerOf(call)} ${keyOf(call)}`;
}

/** It takes over the ownership of other clients' fields. */
export function isTakeOver({ request }: ApiCall): boolean {
  return objectOf(objectOf(request.body)['metadata'])['managedFields'] !== undefined;
}

/** It applies a manifest, or a part of one. */
export function isApply({ request }: ApiCall): boolean {
  return request.contentType === 'application/apply-patch+yaml';
}

/** Its manager and its content, without the version of the object. */
export function requestOf({ request }: ApiCall): string {
  const body = objectOf(request.body);
  const { uid: _, resourceVersion: __, ...metadata } = objectOf(body['metadata']);
  return `${request.method} ${textOf(request.query?.['fieldManager'])} ${JSON.stringify({ ...body, metadata })}`;
}

/** Each application has an account of its name. */
export function ownerOf({ request, named }: ApiCall): string {
  return request.impersonate?.split(':').at(-1) ?? named?.name ?? '';
}

/** Each field manager ends with the value of the label; a deletion has none. */
export function labelBy({ request }: ApiCall): string | undefined {
  return textOf(request.query?.['fieldManager'])?.split(':')[1];
}

export function labelOf(object: JsonObject | undefined): string | undefined {
  return textOf(objectOf(objectOf(object?.['metadata'])['labels'])['weeder.dev/application']);
}

/** Some of it belongs to an application: another client may have removed only the label. */
export function isMarked(object: JsonObject | undefined): boolean {
  const { managedFields } = objectOf(object?.['metadata']);
  return arrayOf(managedFields).some((each) => textOf(objectOf(each)['manager'])?.startsWith('weeder') === true);
}

export function isSame(before: JsonObject | undefined, after: JsonObject | undefined): boolean {
  const versionOf = (object: JsonObject | undefined) => objectOf(object?.['metadata'])['resourceVersion'];
  return versionOf(before) === versionOf(after) && uidOf(before) === uidOf(after);
}
