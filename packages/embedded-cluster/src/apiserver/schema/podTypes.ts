/** Pods and their templates, in the notation of types.ts. */
export const podTypes = {
  NodeSelectorRequirement: '+key +operator values[]',
  '!NodeSelectorTerm': 'matchExpressions[]:NodeSelectorRequirement matchFields[]:NodeSelectorRequirement',
  PreferredSchedulingTerm: '+preference:NodeSelectorTerm +weight#',
  '!NodeSelector': '+nodeSelectorTerms[]:NodeSelectorTerm',
  NodeAffinity: `
    preferredDuringSchedulingIgnoredDuringExecution[]:PreferredSchedulingTerm
    requiredDuringSchedulingIgnoredDuringExecution:NodeSelector
  `,
  PodAffinityTerm: `
    labelSelector:LabelSelector matchLabelKeys[] mismatchLabelKeys[] namespaceSelector:LabelSelector
    namespaces[] +topologyKey
  `,
  WeightedPodAffinityTerm: '+podAffinityTerm:PodAffinityTerm +weight#',
  PodAffinity: `
    preferredDuringSchedulingIgnoredDuringExecution[]:WeightedPodAffinityTerm
    requiredDuringSchedulingIgnoredDuringExecution[]:PodAffinityTerm
  `,
  PodAntiAffinity: `
    preferredDuringSchedulingIgnoredDuringExecution[]:WeightedPodAffinityTerm
    requiredDuringSchedulingIgnoredDuringExecution[]:PodAffinityTerm
  `,
  Affinity: 'nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity',
  PodDNSConfigOption: 'name value',
  PodDNSConfig: 'nameservers[] options[]:PodDNSConfigOption searches[]',
  EphemeralContainer: `
    args[] command[] env[name]:EnvVar envFrom[]:EnvFromSource image imagePullPolicy lifecycle:Lifecycle
    livenessProbe:Probe +name ports[containerPort,protocol]:ContainerPort readinessProbe:Probe
    resizePolicy[]:ContainerResizePolicy resources:ResourceRequirements restartPolicy
    restartPolicyRules[]:ContainerRestartRule securityContext:SecurityContext startupProbe:Probe stdin?0
    stdinOnce?0 targetContainerName terminationMessagePath terminationMessagePolicy tty?0
    volumeDevices[devicePath]:VolumeDevice volumeMounts[mountPath]:VolumeMount workingDir
  `,
  HostAlias: 'hostnames[] +ip',
  PodOS: '+name',
  PodReadinessGate: '+conditionType',
  PodResourceClaim: '+name resourceClaimName resourceClaimTemplateName',
  PodSchedulingGate: '+name',
  PodSchedulingGroup: 'podGroupName',
  Sysctl: '+name +value',
  PodSecurityContext: `
    appArmorProfile:AppArmorProfile fsGroup# fsGroupChangePolicy runAsGroup# runAsNonRoot? runAsUser#
    seLinuxChangePolicy seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile supplementalGroups[]#
    supplementalGroupsPolicy sysctls[]:Sysctl windowsOptions:WindowsSecurityContextOptions
  `,
  Toleration: 'effect key operator tolerationSeconds# value',
  TopologySpreadConstraint: `
    labelSelector:LabelSelector matchLabelKeys[] +maxSkew# minDomains# nodeAffinityPolicy nodeTaintsPolicy
    +topologyKey +whenUnsatisfiable
  `,
  PodSpec: `
    activeDeadlineSeconds# affinity:Affinity automountServiceAccountToken? +containers[name]:Container
    dnsConfig:PodDNSConfig dnsPolicy enableServiceLinks? ephemeralContainers[name]:EphemeralContainer
    hostAliases[ip]:HostAlias hostIPC?0 hostNetwork?0 hostPID?0 hostUsers? hostname hostnameOverride
    imagePullSecrets[name]:LocalObjectReference initContainers[name]:Container nodeName nodeSelector{!}
    os:PodOS overhead{}* preemptionPolicy priority# priorityClassName readinessGates[]:PodReadinessGate
    resourceClaims[name]:PodResourceClaim resources:ResourceRequirements restartPolicy runtimeClassName
    schedulerName schedulingGates[name]:PodSchedulingGate schedulingGroup:PodSchedulingGroup
    securityContext:PodSecurityContext serviceAccount serviceAccountName setHostnameAsFQDN?
    shareProcessNamespace? subdomain terminationGracePeriodSeconds# tolerations[]:Toleration
    topologySpreadConstraints[topologyKey,whenUnsatisfiable]:TopologySpreadConstraint volumes[name]:Volume
  `,
  PodTemplateSpec: 'metadata:ObjectMeta spec:PodSpec',
  PodCondition: 'lastProbeTime lastTransitionTime message observedGeneration#0 reason +status +type',
  ResourceHealth: 'health message +resourceID',
  ResourceStatus: '+name resources[resourceID]:ResourceHealth',
  ContainerStateRunning: 'startedAt',
  ContainerStateTerminated: 'containerID +exitCode# finishedAt message reason signal# startedAt',
  ContainerStateWaiting: 'message reason',
  ContainerState: 'running:ContainerStateRunning terminated:ContainerStateTerminated waiting:ContainerStateWaiting',
  MountStatus: '+mountPath +name readOnly?0 recursiveReadOnly volumeStatus:Any',
  ContainerStatus: `
    allocatedResources{}* allocatedResourcesStatus[name]:ResourceStatus containerID +image +imageID
    lastState:ContainerState +name +ready? resources:ResourceRequirements +restartCount# started?
    state:ContainerState stopSignal user:Any volumeMounts[mountPath]:MountStatus
  `,
  HostIP: '+ip',
  PodIP: '+ip',
  PodResourceClaimStatus: '+name resourceClaimName',
  PodStatus: `
    allocatedResources{}* conditions[type]:PodCondition containerStatuses[]:ContainerStatus
    ephemeralContainerStatuses[]:ContainerStatus extendedResourceClaimStatus:Any hostIP hostIPs[]:HostIP
    initContainerStatuses[]:ContainerStatus message nodeAllocatableResourceClaimStatuses[]:Any
    nominatedNodeName observedGeneration#0 phase podIP podIPs[ip]:PodIP qosClass reason resize
    resourceClaimStatuses[name]:PodResourceClaimStatus resources:ResourceRequirements startTime
  `,
  Pod: 'metadata:ObjectMeta spec:PodSpec status:PodStatus',
} as const;
