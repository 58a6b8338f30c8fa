import { type JsonObject, textOf } from '@weeder/kube-runtime/base';

/** An annotation by which Reloader or wave decides whether a workload restarts; weeder does not read it. */
export interface OtherTool {
  readonly annotation: string;
  /** The annotation is in the pod template, where Reloader reads it too. */
  readonly isInTemplate: boolean;
  /** The value of weeder's own annotation that means the same. */
  readonly means: boolean;
}

/** As Go's `strconv.ParseBool`, by which Reloader reads a value. */
const truths: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const falsehoods: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

const auto = 'reloader.stakater.com/auto';
const flags = [
  auto,
  'reloader.stakater.com/search',
  'configmap.reloader.stakater.com/auto',
  'secret.reloader.stakater.com/auto',
  'wave.pusher.com/update-on-config-change',
];
const lists = ['configmap.reloader.stakater.com/reload', 'secret.reloader.stakater.com/reload'];

/**
 * Returns the annotation of another tool that decides about a workload, if there is one: an opt-in takes precedence
 * over an opt-out, as in Reloader. What the tools write themselves does not count, nor what only refines an opt-in.
 */
export function otherToolOf(own: JsonObject, inTemplate: JsonObject): OtherTool | undefined {
  return optInOf(own, false) ?? optInOf(inTemplate, true) ?? optOutOf(own, false) ?? optOutOf(inTemplate, true);
}

function optInOf(annotations: JsonObject, isInTemplate: boolean): OtherTool | undefined {
  const flag = flags.find((name) => truths.has(textOf(annotations[name]) ?? ''));
  const annotation = flag ?? lists.find((name) => (textOf(annotations[name]) ?? '').trim() !== '');
  return annotation === undefined ? undefined : { annotation, isInTemplate, means: true };
}

function optOutOf(annotations: JsonObject, isInTemplate: boolean): OtherTool | undefined {
  return falsehoods.has(textOf(annotations[auto]) ?? '') ? { annotation: auto, isInTemplate, means: false } : undefined;
}
