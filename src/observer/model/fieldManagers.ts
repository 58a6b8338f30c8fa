import { createHash } from 'node:crypto';

/** How an application signs what it applies. */
export interface ApplicationOwner {
  /** The field manager of exactly the observed fields. */
  readonly own: string;
  /** The field manager of exactly the unobserved fields of a manifest. */
  readonly init: string;
  /** The value of the label `labelName`. */
  readonly label: string;
  /** For people, and the value of the annotation `annotationName`: `namespace/name`. */
  readonly name: string;
}

/** The only version of the kind Application that there is. */
export const applicationVersion = 'weeder.dev/v1alpha1';

/** On each resource of an application: whose it is. Who claims a resource applies this label without force. */
export const labelName = 'weeder.dev/application';

/** `pathText` of that label. */
export const labelPath = `.metadata.labels.${labelName}`;

/** On each resource of an application: the same, to be read by people. */
export const annotationName = 'weeder.dev/application-name';

/** On each application in mode `correct`, until its resources are deleted or released. */
export const finalizer = 'weeder.dev/application';

/** On an application whose deletion does not come to its end: with "true" the finalizer goes at once. */
export const forceFinalizeName = 'weeder.dev/force-finalize';

/** Everything that weeder's field managers begin with. */
const prefixes = { own: 'weeder:', init: 'weeder-init:' };

/**
 * Two managers an application, so that no two applications ever share one: a manager that applies less than it did
 * before deletes the rest. The hash is what a label value can hold (63 characters) and a manager's name too (128 bytes);
 * a namespace and a name together may be longer than either.
 */
export function ownerOf({ namespace, name }: { readonly namespace: string; readonly name: string }): ApplicationOwner {
  const readable = `${namespace}/${name}`;
  const label = createHash('sha256').update(readable).digest('hex').slice(0, 40);
  return { ...managersOf(label), label, name: readable };
}

/** The field managers of the application with this label. */
export function managersOf(label: string): Pick<ApplicationOwner, 'own' | 'init'> {
  return { own: `${prefixes.own}${label}`, init: `${prefixes.init}${label}` };
}
