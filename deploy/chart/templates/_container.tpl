{{- define "weeder.container" -}}
{{- $observer := .Values.observer.enabled -}}
- name: weeder
  image: {{ include "weeder.image" . | quote }}
  {{- with .Values.image.pullPolicy }}
  imagePullPolicy: {{ . }}
  {{- end }}
  args:
    - run
    - --config-file=/etc/weeder/weeder.yaml
    {{- if eq .Values.mode "highlyAvailable" }}
    - --enable-leader-election
    - --leader-election-namespace=$(POD_NAMESPACE)
    {{- else if eq .Values.mode "sharded" }}
    - --shard=auto/{{ include "weeder.replicas" . }}
    {{- end }}
    {{- with .Values.namespaces }}
    - --namespaces={{ join "," . }}
    {{- end }}
    {{- with .Values.namespaceSelector }}
    - {{ printf "--namespace-selector=%s" . | quote }}
    {{- end }}
    {{- with .Values.exceptNamespaces }}
    - --except-namespaces={{ join "," . }}
    {{- end }}
    {{- if and .Values.namespaces (or .Values.namespaceSelector .Values.exceptNamespaces) }}
    {{- fail "namespaces: leave it out, or namespaceSelector and exceptNamespaces, which select from all namespaces." }}
    {{- end }}
    {{- if .Values.metricsSecure }}
    - --metrics-secure
    {{- end }}
    {{- if .Values.livePage }}
    - --ui-bind-addr=127.0.0.1:9645
    {{- end }}
    {{- if .Values.dryRun }}
    - --dry-run
    {{- end }}
    {{- if .Values.record.enabled }}
    - --record=/var/log/weeder/weeder.jsonl
    {{- with .Values.record.limit }}
    - --record-limit={{ . }}
    {{- end }}
    {{- end }}
    {{- with .Values.args }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  env:
    {{- range $name, $field := dict "POD_NAMESPACE" "metadata.namespace" "POD_NAME" "metadata.name" "POD_UID" "metadata.uid" }}
    - name: {{ $name }}
      valueFrom:
        fieldRef:
          apiVersion: v1
          fieldPath: {{ $field }}
    {{- end }}
    # deploy/ has the measurements behind these limits: base/deployment.yaml, components/observer-named/memory.yaml.
    - name: NODE_OPTIONS
      value: {{ .Values.nodeOptions | default ($observer | ternary "--max-old-space-size=192 --max-semi-space-size=8" "--max-old-space-size=128 --max-semi-space-size=2") | quote }}
    {{- with .Values.extraEnv }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  ports:
    - name: metrics
      containerPort: 9643
    - name: health
      containerPort: 9644
  # The liveness probe fails only if the process hangs. If the API server is unreachable, weeder is only unready.
  livenessProbe:
    httpGet:
      path: /healthz
      port: health
    periodSeconds: 10
    timeoutSeconds: 5
    failureThreshold: 3
  # Until weeder is ready for the first time, /readyz delays its response by up to 2 s. After the initial delay weeder
  # listens, so that a normal start causes no failed probe.
  readinessProbe:
    httpGet:
      path: /readyz
      port: health
    initialDelaySeconds: 1
    periodSeconds: 5
    timeoutSeconds: 3
    failureThreshold: 2
  resources:
    {{- if .Values.resources }}
    {{- toYaml .Values.resources | nindent 4 }}
    {{- else }}
    requests:
      cpu: 50m
      memory: {{ $observer | ternary "256Mi" "192Mi" }}
    limits:
      memory: {{ $observer | ternary "320Mi" "256Mi" }}
    {{- end }}
  securityContext:
    {{- include "weeder.securityContext" .Values.securityContext | nindent 4 }}
  volumeMounts:
    # The folder, not a single file (subPath), which is never updated.
    - name: config
      mountPath: /etc/weeder
      readOnly: true
    {{- if .Values.record.enabled }}
    - name: record
      mountPath: /var/log/weeder
    {{- end }}
    {{- with .Values.extraVolumeMounts }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}
