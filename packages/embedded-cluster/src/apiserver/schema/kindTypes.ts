/** All other kinds, in the notation of types.ts. */
export const kindTypes = {
  ConfigMap: 'binaryData{} data{} immutable? metadata:ObjectMeta',
  Secret: 'data{} immutable? metadata:ObjectMeta stringData{} type',
  NamespaceSpec: 'finalizers[]',
  NamespaceCondition: 'lastTransitionTime message reason +status +type',
  NamespaceStatus: 'conditions[type]:NamespaceCondition phase',
  Namespace: 'metadata:ObjectMeta spec:NamespaceSpec status:NamespaceStatus',
  LeaseSpec: 'acquireTime holderIdentity leaseDurationSeconds# leaseTransitions# preferredHolder renewTime strategy',
  Lease: 'metadata:ObjectMeta spec:LeaseSpec',
  PodDisruptionBudgetSpec: 'maxUnavailable% minAvailable% selector:LabelSelector unhealthyPodEvictionPolicy',
  PodDisruptionBudgetStatus: `
    conditions[type]:Condition currentHealthy# desiredHealthy# disruptedPods{} disruptionsAllowed#
    expectedPods# observedGeneration#
  `,
  PodDisruptionBudget: 'metadata:ObjectMeta spec:PodDisruptionBudgetSpec status:PodDisruptionBudgetStatus',
  HPAScalingPolicy: '+periodSeconds# +type +value#',
  HPAScalingRules: 'policies[]:HPAScalingPolicy selectPolicy stabilizationWindowSeconds# tolerance*',
  HorizontalPodAutoscalerBehavior: 'scaleDown:HPAScalingRules scaleUp:HPAScalingRules',
  MetricTarget: 'averageUtilization# averageValue* +type value*',
  ContainerResourceMetricSource: '+container +name +target:MetricTarget',
  MetricIdentifier: '+name selector:LabelSelector',
  ExternalMetricSource: '+metric:MetricIdentifier +target:MetricTarget',
  CrossVersionObjectReference: 'apiVersion +kind +name',
  ObjectMetricSource: '+describedObject:CrossVersionObjectReference +metric:MetricIdentifier +target:MetricTarget',
  PodsMetricSource: '+metric:MetricIdentifier +target:MetricTarget',
  ResourceMetricSource: '+name +target:MetricTarget',
  MetricSpec: `
    containerResource:ContainerResourceMetricSource external:ExternalMetricSource object:ObjectMetricSource
    pods:PodsMetricSource resource:ResourceMetricSource +type
  `,
  HorizontalPodAutoscalerSpec: `
    behavior:HorizontalPodAutoscalerBehavior +maxReplicas# metrics[]:MetricSpec minReplicas#
    +scaleTargetRef:CrossVersionObjectReference
  `,
  HorizontalPodAutoscalerCondition: 'lastTransitionTime message reason +status +type',
  HorizontalPodAutoscalerStatus: `
    conditions[type]:HorizontalPodAutoscalerCondition currentMetrics[]:Any currentReplicas#0
    +desiredReplicas# lastScaleTime observedGeneration#
  `,
  HorizontalPodAutoscaler: `
    metadata:ObjectMeta +spec:HorizontalPodAutoscalerSpec status:HorizontalPodAutoscalerStatus
  `,
  PolicyRule: 'apiGroups[] nonResourceURLs[] resourceNames[] resources[] +verbs[]',
  Role: 'metadata:ObjectMeta rules[]:PolicyRule',
  '!RoleRef': 'apiGroup +kind +name',
  '!Subject': 'apiGroup +kind +name namespace',
  RoleBinding: 'metadata:ObjectMeta +roleRef:RoleRef subjects[]:Subject',
  AggregationRule: 'clusterRoleSelectors[]:LabelSelector',
  ClusterRole: 'aggregationRule:AggregationRule metadata:ObjectMeta rules[]:PolicyRule',
  ClusterRoleBinding: 'metadata:ObjectMeta +roleRef:RoleRef subjects[]:Subject',
  CustomResourceConversion: '+strategy webhook:Any',
  CustomResourceDefinitionNames: 'categories[] +kind listKind +plural shortNames[] singular',
  CustomResourceDefinitionSpec: `
    conversion:CustomResourceConversion +group +names:CustomResourceDefinitionNames preserveUnknownFields?0
    +scope +versions[]:Any
  `,
  CustomResourceDefinitionCondition: 'lastTransitionTime message observedGeneration#0 reason +status +type',
  CustomResourceDefinitionStatus: `
    acceptedNames:CustomResourceDefinitionNames conditions[type]:CustomResourceDefinitionCondition
    observedGeneration#0 storedVersions[]
  `,
  CustomResourceDefinition: `
    metadata:ObjectMeta +spec:CustomResourceDefinitionSpec status:CustomResourceDefinitionStatus
  `,
  ServiceAccount: `
    automountServiceAccountToken? imagePullSecrets[]:LocalObjectReference metadata:ObjectMeta
    secrets[name]:ObjectReference
  `,
} as const;
