import { type JsonObject, objectOf, textOf } from '../../base/json.ts';
import { annotationName, labelName, ownerOf } from '../model/fieldManagers.ts';
import type { ApplicationApi } from '../status/applicationApi.ts';

/** Which labels are those of applications. */
export interface OwnershipClaims {
  /** Whether the object has the label of an application that does not exist. False if that cannot be found out. */
  isStale(object: JsonObject): Promise<boolean>;
}

interface ClaimsOptions {
  readonly applications: Pick<ApplicationApi, 'read'>;
  /** Whether an application with this label is known. */
  readonly isKnown: (label: string) => boolean;
  /** All applications of the cluster are known: no shard, and no list of namespaces. */
  readonly seesAll: boolean;
}

/**
 * A label is a hash of an application's namespace and name, and the annotation beside it has both: the API server is
 * asked for that application where they belong together, and otherwise its label is looked for among all applications,
 * where these are known. Anybody who may write the object may write either; neither is believed without the other.
 */
export function createOwnershipClaims({ applications, isKnown, seesAll }: ClaimsOptions): OwnershipClaims {
  return {
    async isStale(object) {
      const { labels, annotations } = objectOf(object['metadata']);
      const label = textOf(objectOf(labels)[labelName]);
      if (label === undefined || isKnown(label)) return false;
      const claimant = claimantIn(textOf(objectOf(annotations)[annotationName]) ?? '', label);
      if (claimant === undefined) return seesAll;
      // Of whatever uid: it is enough that there is one.
      const read = await applications.read({ ...claimant, uid: '' });
      return !read.ok && read.failure.is === 'missing';
    },
  };
}

/** The application of this name, where the label is its. */
function claimantIn(text: string, label: string): { readonly namespace: string; readonly name: string } | undefined {
  const [namespace = '', name = '', ...more] = text.split('/');
  if (namespace === '' || name === '' || more.length > 0) return undefined;
  return ownerOf({ namespace, name }).label === label ? { namespace, name } : undefined;
}
