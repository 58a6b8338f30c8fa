import { type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { annotationName, labelName, ownerOf } from '../objects/fieldManagers.ts';
import type { ApplicationApi } from '../status/applicationApi.ts';

/** Decides which labels belong to existing applications. */
export interface OwnershipClaims {
  /** Returns true if the object has the label of an application that does not exist, and false if that is unknown. */
  isStale(object: JsonObject): Promise<boolean>;
}

interface ClaimsOptions {
  readonly applications: Pick<ApplicationApi, 'read'>;
  /** Returns true if an application with this label is known. */
  readonly isKnown: (label: string) => boolean;
  /** All applications of the cluster are known: no namespace is left out. */
  readonly seesAll: boolean;
}

/**
 * A label is a hash of an application's namespace and name, and the annotation beside it has both as text. If the two
 * match, that application is read from the API server. Otherwise the label is searched among all applications, if all
 * are known. Any client that may write the object may write the label and the annotation, so neither is trusted without
 * the other.
 */
export function createOwnershipClaims({ applications, isKnown, seesAll }: ClaimsOptions): OwnershipClaims {
  return {
    async isStale(object) {
      const { labels, annotations } = objectOf(object['metadata']);
      const label = textOf(objectOf(labels)[labelName]);
      if (label === undefined || isKnown(label)) return false;
      const claimant = claimantIn(textOf(objectOf(annotations)[annotationName]) ?? '', label);
      if (claimant === undefined) return seesAll;
      // Any uid is enough: the application exists.
      const read = await applications.read({ ...claimant, uid: '' });
      return !read.ok && read.failure.type === 'missing';
    },
  };
}

/** Returns the application of this name if the label is the one of the application. */
function claimantIn(text: string, label: string): { readonly namespace: string; readonly name: string } | undefined {
  const [namespace = '', name = '', ...more] = text.split('/');
  if (namespace === '' || name === '' || more.length > 0) return undefined;
  return ownerOf({ namespace, name }).label === label ? { namespace, name } : undefined;
}
