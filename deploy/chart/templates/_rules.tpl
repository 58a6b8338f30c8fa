{{- /* The rules of weeder's role, in the order of the components of deploy/. */ -}}
{{- define "weeder.rules" -}}
{{- if .Values.weeding }}
# Which services are ready.
- apiGroups: [discovery.k8s.io]
  resources: [endpointslices]
  verbs: [list, watch]
# Which dependants crash-loop (list, watch); since when a service is ready (get, of its backing pods); to delete pods.
- apiGroups: [""]
  resources: [pods]
  verbs: [list, watch, get, delete]
# The Deployment or CronJob of a pod, for an Event about what the pod declares.
- apiGroups: [apps]
  resources: [replicasets]
  verbs: [get]
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get]
{{- end }}
# Events on Services, pods and workloads. patch: the series of an existing Event.
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- if .Values.evict }}
- apiGroups: [""]
  resources: [pods/eviction]
  verbs: [create]
{{- end }}
{{- if .Values.evidence }}
- apiGroups: [""]
  resources: [pods/log]
  verbs: [get]
{{- end }}
{{- if .Values.podCreation }}
# The webhooks that admit pods, the Events of failed creations, and an annotation of the objects that lack pods.
- apiGroups: [admissionregistration.k8s.io]
  resources: [validatingwebhookconfigurations, mutatingwebhookconfigurations]
  verbs: [list, watch]
- apiGroups: [""]
  resources: [events]
  verbs: [list, watch]
- apiGroups: [apps]
  resources: [replicasets, statefulsets, daemonsets]
  verbs: [get, patch]
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, patch]
- apiGroups: [""]
  resources: [replicationcontrollers]
  verbs: [get, patch]
{{- end }}
{{- if .Values.namespaceSelector }}
# Which namespaces have the labels.
- apiGroups: [""]
  resources: [namespaces]
  verbs: [list, watch]
{{- end }}
{{- if .Values.restartControl.enabled }}
{{ include "weeder.restartRules" .Values.restartControl }}
{{- end }}
{{- if .Values.observer.enabled }}
{{ include "weeder.observerRules" .Values.observer }}
{{- end }}
{{- with .Values.extraRules }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "weeder.restartRules" -}}
# The workloads. patch: the annotation that records what the pods run with, and the restart.
- apiGroups: [apps]
  resources: [deployments, statefulsets, daemonsets]
  verbs: [list, watch, patch]
- apiGroups: [batch]
  resources: [cronjobs, jobs]
  verbs: [list, watch, patch]
# Whether some container runs with old content, and the progress of a rollout.
- apiGroups: [""]
  resources: [pods]
  verbs: [list]
{{- if ne .sources "named" }}
- apiGroups: [""]
  resources: [configmaps]
  verbs: [list, watch, get]
{{- end }}
{{- if eq .sources "all" }}
- apiGroups: [""]
  resources: [secrets]
  verbs: [list, watch, get]
{{- end }}
{{- if .recreateJobs }}
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, create, delete]
{{- end }}
{{- range .workloadKinds }}
- apiGroups: [{{ .group }}]
  resources: [{{ .resource }}]
  verbs: [list, watch, patch]
{{- end }}
{{- end -}}

{{- define "weeder.observerRules" -}}
# patch: the finalizer.
- apiGroups: [weeder.dev]
  resources: [applications]
  verbs: [get, list, watch, patch]
- apiGroups: [weeder.dev]
  resources: [applications/status]
  verbs: [patch]
# The kinds that applications hold. extraRules has a rule for each other kind, including those of your CRDs.
- apiGroups: [""]
  resources: [configmaps, limitranges, namespaces, persistentvolumeclaims, pods, resourcequotas, serviceaccounts, services]
  verbs: [get, list, watch]
- apiGroups: [apps]
  resources: [daemonsets, deployments, statefulsets]
  verbs: [get, list, watch]
- apiGroups: [batch]
  resources: [cronjobs, jobs]
  verbs: [get, list, watch]
- apiGroups: [autoscaling]
  resources: [horizontalpodautoscalers]
  verbs: [get, list, watch]
- apiGroups: [networking.k8s.io]
  resources: [ingresses, networkpolicies]
  verbs: [get, list, watch]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get, list, watch]
- apiGroups: [rbac.authorization.k8s.io]
  resources: [clusterrolebindings, clusterroles, rolebindings, roles]
  verbs: [get, list, watch]
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  verbs: [get, list, watch]
# With this rule and the one before, weeder finds a new kind within about a second; without them, within a minute.
- apiGroups: [apiregistration.k8s.io]
  resources: [apiservices]
  verbs: [list, watch]
{{- if eq .impersonate "all" }}
- apiGroups: [""]
  resources: [serviceaccounts]
  verbs: [impersonate]
{{- end }}
{{- if .secrets }}
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, list, watch]
{{- end }}
{{- end -}}

{{- define "weeder.leaseRules" -}}
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [dwd-weeder-leader-election]
  verbs: [get, watch, update]
# RBAC cannot limit create to one name.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
{{- end -}}

{{- /* weeder asks the API server who reads the metrics, and whether it may. */ -}}
{{- define "weeder.metricsRules" -}}
- apiGroups: [authentication.k8s.io]
  resources: [tokenreviews]
  verbs: [create]
- apiGroups: [authorization.k8s.io]
  resources: [subjectaccessreviews]
  verbs: [create]
{{- end -}}
