/** In what the answers of older API servers differ. The embedded one answers as the newest. */
export interface Features {
  /** It streams lists (WatchList). 1.32 does, too; the feature gate was off again in 1.33. */
  readonly hasWatchList: boolean;
  /** The message of a refusal shows numbers in decimal, and has no text after `Required value`. */
  readonly hasPlainFieldErrors: boolean;
  /** A creation is forbidden while the CustomResourceDefinition is terminating; before, the method was not allowed. */
  readonly forbidsCreationOfTerminatingKinds: boolean;
  /** An unset `creationTimestamp`, such as that of a pod template, is left out; before, it was null. */
  readonly omitsUnsetTimes: boolean;
  /** Options of a deletion that are no such options are a bad request; before, an internal error. */
  readonly refusesOtherOptions: boolean;
  /** A write of the status of a custom resource owns no metadata; before, it owned those that it did not change. */
  readonly resetsMetadataOfStatus: boolean;
  /** `maxReplicas: 0` of a HorizontalPodAutoscaler counts as not set. */
  readonly requiresMaxReplicas: boolean;
}

/** Returns what an API server of this minor version answers: that of 1.36 is 36. */
export function featuresOf(minor: number): Features {
  return {
    hasWatchList: minor >= 34 || minor === 32,
    hasPlainFieldErrors: minor >= 34,
    forbidsCreationOfTerminatingKinds: minor >= 34,
    omitsUnsetTimes: minor >= 34,
    refusesOtherOptions: minor >= 35,
    resetsMetadataOfStatus: minor >= 36,
    requiresMaxReplicas: minor >= 36,
  };
}
