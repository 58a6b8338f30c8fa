export { apiPath, groupVersionPath } from './apiPath.ts';
export { apiVersionIn, kindIn, nameIn, shortTextIn, uidIn } from './foreignText.ts';
export { type Identity, identityOf, labelsOf, namespaceOf, uidOf, versionOf } from './identity.ts';
export { generatedJobLabels } from './jobLabels.ts';
export { mergePatch } from './mergePatch.ts';
export { dnsLabel, dnsSubdomain, labelKey, labelValue, type NameRule } from './names.ts';
export { keyOf, objectText, partsOf } from './namespacedName.ts';
export { type ControllerRef, controllerOf, deploymentOf } from './owners.ts';
export { placeSuffix, placesOf } from './places.ts';
export { isAtLeast, oldestVersion } from './resourceVersion.ts';
export { type LabelSelector, type LabelSelectorRequirement, matchesSelector, selectorToString } from './selector.ts';
export { createSelectorIndex, type IndexedSelector, type SelectorIndex } from './selectorIndex.ts';
export { parseSelector } from './selectorText.ts';
export { containerStatusesOf, isPodReady, trueConditions } from './status.ts';
export {
  bareKind,
  isWorkloadKind,
  type WorkloadKind,
  workloadKindNames,
  workloadKinds,
  workloadsPath,
} from './workloadKinds.ts';
