{{- define "weeder.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains "weeder" .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-weeder" (.Release.Name | trunc 45 | trimSuffix "-") -}}
{{- end -}}
{{- end -}}

{{- define "weeder.instance" -}}
app.kubernetes.io/name: weeder
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "weeder.selector" -}}
{{ include "weeder.instance" . }}
app.kubernetes.io/component: {{ .Values.component }}
{{- end -}}

{{- /* The labels of a pod. */ -}}
{{- define "weeder.podLabels" -}}
{{ include "weeder.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: weeder
{{- end -}}

{{- /* The labels of an object. Its argument is a list: the root, and the component of the object. */ -}}
{{- define "weeder.labelsOf" -}}
{{- $root := index . 0 -}}
{{ include "weeder.instance" $root }}
app.kubernetes.io/component: {{ index . 1 }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: weeder
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ $root.Chart.Name }}-{{ $root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "weeder.labels" -}}
{{ include "weeder.labelsOf" (list . .Values.component) }}
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
    name: {{ include "weeder.fullname" .root }}
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
