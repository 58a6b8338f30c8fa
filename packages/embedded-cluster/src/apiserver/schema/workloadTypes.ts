/** Workloads and PersistentVolumeClaims, in the notation of types.ts. */
export const workloadTypes = {
  ReplicaSetSpec: 'minReadySeconds#0 replicas# +selector:LabelSelector template:PodTemplateSpec',
  ReplicaSetCondition: 'lastTransitionTime message reason +status +type',
  ReplicaSetStatus: `
    availableReplicas#0 conditions[type]:ReplicaSetCondition fullyLabeledReplicas#0 observedGeneration#0
    readyReplicas#0 +replicas# terminatingReplicas#
  `,
  ReplicaSet: 'metadata:ObjectMeta spec:ReplicaSetSpec status:ReplicaSetStatus',
  RollingUpdateDeployment: 'maxSurge% maxUnavailable%',
  DeploymentStrategy: 'rollingUpdate:RollingUpdateDeployment type',
  DeploymentSpec: `
    minReadySeconds#0 paused?0 progressDeadlineSeconds# replicas# revisionHistoryLimit#
    +selector:LabelSelector strategy:DeploymentStrategy +template:PodTemplateSpec
  `,
  DeploymentCondition: 'lastTransitionTime lastUpdateTime message reason +status +type',
  DeploymentStatus: `
    availableReplicas#0 collisionCount# conditions[type]:DeploymentCondition observedGeneration#0
    readyReplicas#0 replicas#0 terminatingReplicas# unavailableReplicas#0 updatedReplicas#0
  `,
  Deployment: 'metadata:ObjectMeta spec:DeploymentSpec status:DeploymentStatus',
  StatefulSetOrdinals: 'start#',
  StatefulSetPersistentVolumeClaimRetentionPolicy: 'whenDeleted whenScaled',
  RollingUpdateStatefulSetStrategy: 'maxUnavailable% partition#',
  StatefulSetUpdateStrategy: 'rollingUpdate:RollingUpdateStatefulSetStrategy type',
  PersistentVolumeClaimCondition: 'lastProbeTime lastTransitionTime message reason +status +type',
  ModifyVolumeStatus: '+status targetVolumeAttributesClassName',
  PersistentVolumeClaimStatus: `
    accessModes[] allocatedResourceStatuses{} allocatedResources{}* capacity{}*
    conditions[type]:PersistentVolumeClaimCondition currentVolumeAttributesClassName
    modifyVolumeStatus:ModifyVolumeStatus phase
  `,
  PersistentVolumeClaim:
    'apiVersion kind metadata:ObjectMeta spec:PersistentVolumeClaimSpec status:PersistentVolumeClaimStatus',
  StatefulSetSpec: `
    minReadySeconds#0 ordinals:StatefulSetOrdinals
    persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy podManagementPolicy
    replicas# revisionHistoryLimit# +selector:LabelSelector serviceName +template:PodTemplateSpec
    updateStrategy:StatefulSetUpdateStrategy volumeClaimTemplates[]:PersistentVolumeClaim
  `,
  StatefulSetCondition: 'lastTransitionTime message reason +status +type',
  StatefulSetStatus: `
    availableReplicas# collisionCount# conditions[type]:StatefulSetCondition currentReplicas#0
    currentRevision observedGeneration#0 readyReplicas#0 +replicas# updateRevision updatedReplicas#0
  `,
  StatefulSet: 'metadata:ObjectMeta spec:StatefulSetSpec status:StatefulSetStatus',
  RollingUpdateDaemonSet: 'maxSurge% maxUnavailable%',
  DaemonSetUpdateStrategy: 'rollingUpdate:RollingUpdateDaemonSet type',
  DaemonSetSpec: `
    minReadySeconds#0 revisionHistoryLimit# +selector:LabelSelector +template:PodTemplateSpec
    updateStrategy:DaemonSetUpdateStrategy
  `,
  DaemonSetCondition: 'lastTransitionTime message reason +status +type',
  DaemonSetStatus: `
    collisionCount# conditions[type]:DaemonSetCondition +currentNumberScheduled# +desiredNumberScheduled#
    numberAvailable#0 +numberMisscheduled# +numberReady# numberUnavailable#0 observedGeneration#0
    updatedNumberScheduled#0
  `,
  DaemonSet: 'metadata:ObjectMeta spec:DaemonSetSpec status:DaemonSetStatus',
  PodFailurePolicyOnExitCodesRequirement: 'containerName +operator +values[=]#',
  PodFailurePolicyOnPodConditionsPattern: 'status +type',
  PodFailurePolicyRule: `
    +action onExitCodes:PodFailurePolicyOnExitCodesRequirement
    onPodConditions[]:PodFailurePolicyOnPodConditionsPattern
  `,
  PodFailurePolicy: '+rules[]:PodFailurePolicyRule',
  SuccessPolicyRule: 'succeededCount# succeededIndexes',
  SuccessPolicy: '+rules[]:SuccessPolicyRule',
  JobSpec: `
    activeDeadlineSeconds# backoffLimit# backoffLimitPerIndex# completionMode completions# managedBy
    manualSelector? maxFailedIndexes# parallelism# podFailurePolicy:PodFailurePolicy podReplacementPolicy
    selector:LabelSelector successPolicy:SuccessPolicy suspend? +template:PodTemplateSpec
    ttlSecondsAfterFinished#
  `,
  JobCondition: 'lastProbeTime lastTransitionTime message reason +status +type',
  UncountedTerminatedPods: 'failed[=] succeeded[=]',
  JobStatus: `
    active#0 completedIndexes completionTime conditions[]:JobCondition failed#0 failedIndexes ready#
    startTime succeeded#0 terminating# uncountedTerminatedPods:UncountedTerminatedPods
  `,
  Job: 'metadata:ObjectMeta spec:JobSpec status:JobStatus',
  JobTemplateSpec: 'metadata:ObjectMeta spec:JobSpec',
  CronJobSpec: `
    concurrencyPolicy failedJobsHistoryLimit# +jobTemplate:JobTemplateSpec +schedule
    startingDeadlineSeconds# successfulJobsHistoryLimit# suspend? timeZone
  `,
  CronJobStatus: 'active[]:ObjectReference lastScheduleTime lastSuccessfulTime',
  CronJob: 'metadata:ObjectMeta +spec:CronJobSpec status:CronJobStatus',
} as const;
