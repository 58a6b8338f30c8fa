{{- define "weeder.name" -}}
{{- .Values.nameOverride | default "weeder" -}}
{{- end -}}

{{- /* At most 52 characters: the controller of a StatefulSet adds 11 to it in a label. */ -}}
{{- define "weeder.fullname" -}}
{{- $name := include "weeder.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" (.Release.Name | trunc (int (sub 51 (len $name))) | trimSuffix "-") $name -}}
{{- end -}}
{{- end -}}

{{- define "weeder.serviceAccount" -}}
{{- with .Values.serviceAccount -}}
{{- if not (or .create .name) -}}
{{- fail "serviceAccount.create: false needs the name of your account in serviceAccount.name." -}}
{{- end -}}
{{- .name | default (include "weeder.fullname" $) -}}
{{- end -}}
{{- end -}}

{{- define "weeder.replicas" -}}
{{- $mode := .Values.mode -}}
{{- $replicas := .Values.replicas | default (get (dict "single" 1 "highlyAvailable" 2 "sharded" 3) $mode) | int -}}
{{- if and (eq $mode "single") (gt $replicas 1) -}}
{{- fail (printf "replicas: %d needs the mode highlyAvailable or sharded; two replicas of the mode single would both act." $replicas) -}}
{{- end -}}
{{- $replicas -}}
{{- end -}}

{{- define "weeder.instance" -}}
app.kubernetes.io/name: {{ include "weeder.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "weeder.selector" -}}
{{ include "weeder.instance" . }}
app.kubernetes.io/component: {{ .Values.component }}
{{- end -}}

{{- /* Labels of the chart with those of the user. Its argument is a list: the former as a text, and the latter. */ -}}
{{- define "weeder.mergedLabels" -}}
{{- $theirs := index . 1 -}}
{{- range list "name" "instance" "component" "managed-by" -}}
{{- $label := printf "app.kubernetes.io/%s" . -}}
{{- if hasKey $theirs $label -}}
{{- fail (printf "the label %s belongs to the chart: nameOverride, component and the name of the release set its labels." $label) -}}
{{- end -}}
{{- end -}}
{{- toYaml (mergeOverwrite (index . 0 | fromYaml) $theirs) -}}
{{- end -}}

{{- /* The labels of an object. Its argument is a list: the root, and the component of the object. */ -}}
{{- define "weeder.labelsOf" -}}
{{- $root := index . 0 -}}
{{- $labels := include "weeder.instance" $root | fromYaml -}}
{{- $_ := set $labels "app.kubernetes.io/component" (index . 1) -}}
{{- $_ := set $labels "app.kubernetes.io/version" $root.Chart.AppVersion -}}
{{- $_ := set $labels "app.kubernetes.io/part-of" "weeder" -}}
{{- $_ := set $labels "app.kubernetes.io/managed-by" $root.Release.Service -}}
{{- $_ := set $labels "helm.sh/chart" (printf "%s-%s" $root.Chart.Name ($root.Chart.Version | replace "+" "_")) -}}
{{- include "weeder.mergedLabels" (list (toYaml $labels) $root.Values.commonLabels) -}}
{{- end -}}

{{- define "weeder.labels" -}}
{{ include "weeder.labelsOf" (list . .Values.component) }}
{{- end -}}

{{- /* The labels of a pod: without those of Helm, so that a new chart alone replaces no pod. */ -}}
{{- define "weeder.podLabels" -}}
{{- $labels := omit (include "weeder.labels" . | fromYaml) "app.kubernetes.io/managed-by" "helm.sh/chart" -}}
{{- include "weeder.mergedLabels" (list (toYaml $labels) .Values.podLabels) -}}
{{- end -}}

{{- /* A security context without its empty values. */ -}}
{{- define "weeder.securityContext" -}}
{{- $context := dict -}}
{{- range $key, $value := . }}{{ if not (or (kindIs "invalid" $value) (eq (toString $value) "")) }}{{ $_ := set $context $key $value }}{{ end }}{{ end -}}
{{- toYaml $context -}}
{{- end -}}

{{- define "weeder.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* The config. It has declared dependencies only if they are on, and the weeder has its permissions. */ -}}
{{- define "weeder.config" -}}
{{- $config := .Values.config -}}
{{- if not (and .Values.weeding .Values.declarations) -}}
{{- $config = omit $config "declaredDependencies" -}}
{{- end -}}
{{- toYaml $config -}}
{{- end -}}

{{- /* The name of the Secret with the key of the hashes, as in the config. */ -}}
{{- define "weeder.hashKey" -}}
{{- $section := .Values.config.restartControl | default dict -}}
{{- $hashKey := dict -}}
{{- if kindIs "map" $section -}}
{{- $hashKey = $section.hashKey | default dict -}}
{{- end -}}
{{- $hashKey.name | default "weeder-hash-key" -}}
{{- end -}}

{{- /* A binding. Its argument is a dict: root, kind, name, component, and namespace of a RoleBinding. */ -}}
{{- define "weeder.binding" -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ .kind }}Binding
metadata:
  name: {{ .name }}
  {{- with .namespace }}
  namespace: {{ . }}
  {{- end }}
  labels:
    {{- include "weeder.labelsOf" (list .root .component) | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ .kind }}
  name: {{ .name }}
subjects:
  - kind: ServiceAccount
    name: {{ include "weeder.serviceAccount" .root }}
    namespace: {{ .root.Release.Namespace }}
{{- end -}}

{{- /* A Role or ClusterRole with its binding. Its argument is that of weeder.binding with rules, a text. */ -}}
{{- define "weeder.role" -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ .kind }}
metadata:
  name: {{ .name }}
  {{- with .namespace }}
  namespace: {{ . }}
  {{- end }}
  labels:
    {{- include "weeder.labelsOf" (list .root .component) | nindent 4 }}
rules:
  {{- .rules | nindent 2 }}
---
{{ include "weeder.binding" . }}
{{- end -}}
