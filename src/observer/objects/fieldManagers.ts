import { createHash } from 'node:crypto';

/** The field managers and the label of an application. */
export interface ApplicationOwner {
  /** The field manager of exactly the observed fields. */
  readonly own: string;
  /** The field manager of exactly the unobserved fields of a manifest. */
  readonly init: string;
  /** The value of the label `labelName`. */
  readonly label: string;
  /** The value of the annotation `annotationName`, which users read: `namespace/name`. */
  readonly name: string;
}

/** The only version of the kind Application. */
export const applicationVersion = 'weeder.dev/v1alpha1';

/**
 * The label on each resource of an application. An application claims a resource by applying this label without force.
 */
export const labelName = 'weeder.dev/application';

/** `pathText` of that label. */
export const labelPath = `.metadata.labels.${labelName}`;

/** The annotation on each resource of an application, with its namespace and name for users. */
export const annotationName = 'weeder.dev/application-name';

/** The finalizer on each application in mode `correct`, until its resources are deleted or released. */
export const finalizer = 'weeder.dev/application';

/** The annotation on an application whose deletion is blocked: with "true" weeder removes the finalizer immediately. */
export const forceFinalizeName = 'weeder.dev/force-finalize';

/** The prefixes of weeder's field managers. */
const prefixes = { own: 'weeder:', init: 'weeder-init:' };

/**
 * Returns the two field managers of an application. No two applications share one, because an apply deletes the fields
 * that its manager owns and that it leaves out. The hash fits into a label value (63 characters) and a manager's name
 * (128 bytes); a namespace and a name together may be longer.
 */
export function ownerOf({ namespace, name }: { readonly namespace: string; readonly name: string }): ApplicationOwner {
  const readable = `${namespace}/${name}`;
  const label = createHash('sha256').update(readable).digest('hex').slice(0, 40);
  return { ...managersOf(label), label, name: readable };
}

/** Returns the field managers of the application with this label. */
export function managersOf(label: string): Pick<ApplicationOwner, 'own' | 'init'> {
  return { own: `${prefixes.own}${label}`, init: `${prefixes.init}${label}` };
}
