/** Containers of pods, in the notation of types.ts. */
export const containerTypes = {
  '!ConfigMapKeySelector': '+key name optional?',
  '!FileKeySelector': '+key optional? +path +volumeName',
  '!SecretKeySelector': '+key name optional?',
  EnvVarSource: `
    configMapKeyRef:ConfigMapKeySelector fieldRef:ObjectFieldSelector fileKeyRef:FileKeySelector
    resourceFieldRef:ResourceFieldSelector secretKeyRef:SecretKeySelector
  `,
  EnvVar: '+name value valueFrom:EnvVarSource',
  ConfigMapEnvSource: 'name optional?',
  SecretEnvSource: 'name optional?',
  EnvFromSource: 'configMapRef:ConfigMapEnvSource prefix secretRef:SecretEnvSource',
  ExecAction: 'command[]',
  HTTPHeader: '+name +value',
  HTTPGetAction: 'host httpHeaders[]:HTTPHeader path +port% scheme',
  SleepAction: '+seconds#',
  TCPSocketAction: 'host +port%',
  LifecycleHandler: 'exec:ExecAction httpGet:HTTPGetAction sleep:SleepAction tcpSocket:TCPSocketAction',
  Lifecycle: 'postStart:LifecycleHandler preStop:LifecycleHandler stopSignal',
  GRPCAction: '+port# service',
  Probe: `
    exec:ExecAction failureThreshold#0 grpc:GRPCAction httpGet:HTTPGetAction initialDelaySeconds#0
    periodSeconds#0 successThreshold#0 tcpSocket:TCPSocketAction terminationGracePeriodSeconds#
    timeoutSeconds#0
  `,
  ContainerPort: '+containerPort# hostIP hostPort#0 name protocol=TCP',
  ContainerResizePolicy: '+resourceName +restartPolicy',
  ResourceClaim: '+name request',
  ResourceRequirements: 'claims[name]:ResourceClaim limits{}* requests{}*',
  ContainerRestartRuleOnExitCodes: '+operator values[=]#',
  ContainerRestartRule: '+action exitCodes:ContainerRestartRuleOnExitCodes',
  AppArmorProfile: 'localhostProfile +type',
  Capabilities: 'add[] drop[]',
  SELinuxOptions: 'level role type user',
  SeccompProfile: 'localhostProfile +type',
  WindowsSecurityContextOptions: 'gmsaCredentialSpec gmsaCredentialSpecName hostProcess? runAsUserName',
  SecurityContext: `
    allowPrivilegeEscalation? appArmorProfile:AppArmorProfile capabilities:Capabilities privileged?
    procMount readOnlyRootFilesystem? runAsGroup# runAsNonRoot? runAsUser# seLinuxOptions:SELinuxOptions
    seccompProfile:SeccompProfile windowsOptions:WindowsSecurityContextOptions
  `,
  VolumeDevice: '+devicePath +name',
  VolumeMount: '+mountPath mountPropagation +name readOnly?0 recursiveReadOnly subPath subPathExpr',
  Container: `
    args[] command[] env[name]:EnvVar envFrom[]:EnvFromSource image imagePullPolicy lifecycle:Lifecycle
    livenessProbe:Probe +name ports[containerPort,protocol]:ContainerPort readinessProbe:Probe
    resizePolicy[]:ContainerResizePolicy resources:ResourceRequirements restartPolicy
    restartPolicyRules[]:ContainerRestartRule securityContext:SecurityContext startupProbe:Probe stdin?0
    stdinOnce?0 terminationMessagePath terminationMessagePolicy tty?0 volumeDevices[devicePath]:VolumeDevice
    volumeMounts[mountPath]:VolumeMount workingDir
  `,
} as const;
