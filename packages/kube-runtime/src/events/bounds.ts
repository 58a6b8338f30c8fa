/**
 * Holds what an Event says to the limits of the API, before anything of it waits or is sent: names and texts come from
 * objects that others wrote, and the API server validates neither the names in owner references nor those in
 * `regarding`. Source of the limits: `pkg/apis/core/validation/events.go`. The body of an Event is below 4 KB.
 */

import { truncate } from '../base/truncate.ts';
import { apiVersionIn, kindIn, uidIn } from '../objects/foreignText.ts';
import { dnsLabel, dnsSubdomain } from '../objects/names.ts';
import type { EventDraft, ObjectRef } from './event.ts';

const longestNote = 1024;
const longestWord = 128;
/** JSON writes each of these with six characters. */
const controlCharacters = /[^\P{Cc}\n\t]/gu;

/** Whether an object can have this name, uid and kind. */
export function canExist({ apiVersion, kind, namespace, name, uid }: ObjectRef): boolean {
  return (
    dnsSubdomain.pattern.test(name) &&
    dnsLabel.pattern.test(namespace) &&
    kindIn(kind) !== undefined &&
    apiVersionIn(apiVersion) !== undefined &&
    (uid === undefined || uidIn(uid) !== undefined)
  );
}

/** The same with texts of a limited length; undefined: it is about an object that cannot exist. */
export function boundedDraft({ regarding, type, reason, action, note }: EventDraft): EventDraft | undefined {
  if (!canExist(regarding)) return undefined;
  const { controllerOf, ...object } = regarding;
  return {
    regarding: controllerOf !== undefined && canExist(controllerOf) ? regarding : object,
    type,
    reason: truncate(reason, longestWord),
    action: truncate(action, longestWord),
    note: truncate(note, longestNote).toWellFormed().replace(controlCharacters, ' '),
  };
}

/** About how many bytes a draft takes while it waits. */
export function sizeOf({ regarding, reason, action, note }: EventDraft): number {
  const { apiVersion, kind, namespace, name, uid = '' } = regarding;
  const texts = [apiVersion, kind, namespace, name, uid, reason, action, note];
  return texts.reduce((sum, text) => sum + text.length, 0);
}
