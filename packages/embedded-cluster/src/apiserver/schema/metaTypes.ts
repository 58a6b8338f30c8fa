/** Types that many kinds share, in the notation of types.ts. */
export const metaTypes = {
  '!OwnerReference': '+apiVersion blockOwnerDeletion? controller? +kind +name +uid',
  ObjectMeta: `
    annotations{} creationTimestamp deletionGracePeriodSeconds# deletionTimestamp finalizers[=] generateName
    generation#0 labels{} managedFields[]:Any name namespace ownerReferences[uid]:OwnerReference
    resourceVersion selfLink uid
  `,
  LabelSelectorRequirement: '+key +operator values[]',
  '!LabelSelector': 'matchExpressions[]:LabelSelectorRequirement matchLabels{}',
  Condition: '+lastTransitionTime +message observedGeneration#0 +reason +status +type',
  '!LocalObjectReference': 'name=',
  '!TypedLocalObjectReference': 'apiGroup +kind +name',
  '!ObjectReference': 'apiVersion fieldPath kind name namespace resourceVersion uid',
} as const;
