import { type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';

const flux = 'kustomize.toolkit.fluxcd.io/prune';
const argo = 'argocd.argoproj.io/sync-options';
const helm = 'helm.sh/resource-policy';

/**
 * Returns the mark by which the author of an object keeps it from being deleted, as Helm, Argo CD or Flux read it:
 * `helm.sh/resource-policy: keep`. Undefined: it has none. Argo CD distinguishes between pruning and the deletion of its
 * application, and may ask a person; here each of these options keeps the object in both cases.
 */
export function keepMarkOf(object: JsonObject): string | undefined {
  const { annotations, labels } = objectOf(object['metadata']);
  const [annotated, labelled] = [objectOf(annotations), objectOf(labels)];
  const options = (textOf(annotated[argo]) ?? '').split(',').map((option) => option.trim());
  const option = options.find((each) => /^(?:Prune|Delete)=(?:false|confirm)$/.test(each));
  if (option !== undefined) return `${argo}: ${option}`;
  if (is(annotated[helm], 'keep')) return `${helm}: keep`;
  return is(annotated[flux], 'disabled') || is(labelled[flux], 'disabled') ? `${flux}: disabled` : undefined;
}

function is(value: unknown, expected: string): boolean {
  return textOf(value)?.trim().toLowerCase() === expected;
}
