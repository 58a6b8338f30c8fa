/** Volumes of pods, in the notation of types.ts; rarely used ones only by name. */
export const volumeTypes = {
  KeyToPath: '+key mode# +path',
  ConfigMapVolumeSource: 'defaultMode# items[]:KeyToPath name optional?',
  CSIVolumeSource: '+driver fsType nodePublishSecretRef:LocalObjectReference readOnly? volumeAttributes{}',
  '!ObjectFieldSelector': 'apiVersion +fieldPath',
  '!ResourceFieldSelector': 'containerName divisor* +resource',
  DownwardAPIVolumeFile: 'fieldRef:ObjectFieldSelector mode# +path resourceFieldRef:ResourceFieldSelector',
  DownwardAPIVolumeSource: 'defaultMode# items[]:DownwardAPIVolumeFile',
  EmptyDirVolumeSource: 'medium sizeLimit*',
  TypedObjectReference: 'apiGroup +kind +name namespace',
  VolumeResourceRequirements: 'limits{}* requests{}*',
  PersistentVolumeClaimSpec: `
    accessModes[] dataSource:TypedLocalObjectReference dataSourceRef:TypedObjectReference
    resources:VolumeResourceRequirements selector:LabelSelector storageClassName volumeAttributesClassName
    volumeMode volumeName
  `,
  PersistentVolumeClaimTemplate: 'metadata:ObjectMeta +spec:PersistentVolumeClaimSpec',
  EphemeralVolumeSource: 'volumeClaimTemplate:PersistentVolumeClaimTemplate',
  HostPathVolumeSource: '+path type',
  ImageVolumeSource: 'pullPolicy reference',
  NFSVolumeSource: '+path readOnly?0 +server',
  PersistentVolumeClaimVolumeSource: '+claimName readOnly?0',
  ConfigMapProjection: 'items[]:KeyToPath name optional?',
  DownwardAPIProjection: 'items[]:DownwardAPIVolumeFile',
  SecretProjection: 'items[]:KeyToPath name optional?',
  ServiceAccountTokenProjection: 'audience expirationSeconds# +path',
  VolumeProjection: `
    clusterTrustBundle:Any configMap:ConfigMapProjection downwardAPI:DownwardAPIProjection
    podCertificate:Any secret:SecretProjection serviceAccountToken:ServiceAccountTokenProjection
  `,
  ProjectedVolumeSource: 'defaultMode# sources[]:VolumeProjection',
  SecretVolumeSource: 'defaultMode# items[]:KeyToPath optional? secretName',
  Volume: `
    awsElasticBlockStore:Any azureDisk:Any azureFile:Any cephfs:Any cinder:Any
    configMap:ConfigMapVolumeSource csi:CSIVolumeSource downwardAPI:DownwardAPIVolumeSource
    emptyDir:EmptyDirVolumeSource ephemeral:EphemeralVolumeSource fc:Any flexVolume:Any flocker:Any
    gcePersistentDisk:Any gitRepo:Any glusterfs:Any hostPath:HostPathVolumeSource image:ImageVolumeSource
    iscsi:Any +name nfs:NFSVolumeSource persistentVolumeClaim:PersistentVolumeClaimVolumeSource
    photonPersistentDisk:Any portworxVolume:Any projected:ProjectedVolumeSource quobyte:Any rbd:Any
    scaleIO:Any secret:SecretVolumeSource storageos:Any vsphereVolume:Any
  `,
} as const;
