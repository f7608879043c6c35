{{/* The pod of a component: (dict "root" $ "component" "gateway"). */}}
{{- define "gatehouse.pod" -}}
{{- $component := . -}}
{{- $isWorker := eq .component "worker" -}}
{{- $own := $isWorker | ternary .root.Values.worker (dict) -}}
{{- $probed := $isWorker | ternary "admin" "api" -}}
{{- with .root -}}
serviceAccountName: {{ include "gatehouse.serviceAccountName" . }}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
securityContext: {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with (default .Values.nodeSelector $own.nodeSelector) }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with (default .Values.tolerations $own.tolerations) }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with (default .Values.affinity $own.affinity) }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
{{- if .Values.topologySpreadConstraints }}
  {{- toYaml .Values.topologySpreadConstraints | nindent 2 }}
{{- else }}
{{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "gatehouse.componentSelector" $component | nindent 8 }}
{{- end }}
{{- end }}
{{- with .Values.initContainers }}
initContainers: {{- toYaml . | nindent 2 }}
{{- end }}
containers:
  - name: gatehouse
    image: {{ include "gatehouse.image" . | quote }}
    imagePullPolicy: {{ .Values.image.pullPolicy }}
    securityContext: {{- toYaml .Values.securityContext | nindent 6 }}
    {{- if .Values.worker.enabled }}
    args: [serve, --role, {{ $isWorker | ternary "worker" "api" }}]
    {{- end }}
    ports:
      {{- if not $isWorker }}
      - { name: api, containerPort: 8080, protocol: TCP }
      {{- end }}
      - { name: admin, containerPort: 8081, protocol: TCP }
    env: {{- include "gatehouse.env" . | nindent 6 }}
    {{- with (include "gatehouse.envFrom" .) }}
    envFrom: {{- . | nindent 6 }}
    {{- end }}
    startupProbe:
      httpGet: { path: /health/live, port: {{ $probed }}, scheme: {{ include "gatehouse.scheme" . }} }
      {{- toYaml .Values.startupProbe | nindent 6 }}
    livenessProbe:
      httpGet: { path: /health/live, port: {{ $probed }}, scheme: {{ include "gatehouse.scheme" . }} }
      {{- toYaml .Values.livenessProbe | nindent 6 }}
    readinessProbe:
      httpGet: { path: /health/ready, port: {{ $probed }}, scheme: {{ include "gatehouse.scheme" . }} }
      {{- toYaml .Values.readinessProbe | nindent 6 }}
    resources: {{- toYaml (default .Values.resources $own.resources) | nindent 6 }}
    volumeMounts:
      - { name: data, mountPath: /data }
      - { name: tmp, mountPath: /tmp }
      {{- if .Values.blobs.existingClaim }}
      - { name: blobs, mountPath: /data/blobs }
      {{- end }}
      {{- if .Values.config }}
      - { name: config, mountPath: /etc/gatehouse, readOnly: true }
      {{- end }}
      {{- if .Values.tls.existingSecret }}
      - { name: tls, mountPath: /etc/gatehouse-tls, readOnly: true }
      {{- end }}
      {{- with .Values.extraVolumeMounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
  {{- with .Values.sidecars }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: {{ .Values.tmpSizeLimit }} }
  {{- if not .Values.persistence.enabled }}
  - name: data
    emptyDir: { sizeLimit: {{ .Values.persistence.size }} }
  {{- end }}
  {{- with .Values.blobs.existingClaim }}
  - name: blobs
    persistentVolumeClaim: { claimName: {{ . }} }
  {{- end }}
  {{- if .Values.config }}
  - name: config
    configMap: { name: {{ include "gatehouse.fullname" . }} }
  {{- end }}
  {{- with .Values.tls.existingSecret }}
  - name: tls
    secret: { secretName: {{ . }}, defaultMode: 0440 }
  {{- end }}
  {{- with .Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
{{- end -}}

{{- define "gatehouse.scheme" -}}
{{- if .Values.tls.existingSecret }}HTTPS{{ else }}HTTP{{ end }}
{{- end -}}

{{- define "gatehouse.env" -}}
- { name: HOST, value: "0.0.0.0" }
- { name: PORT, value: "8080" }
- { name: ADMIN_HOST, value: "0.0.0.0" }
- { name: ADMIN_PORT, value: "8081" }
- { name: DATA_DIR, value: /data }
- { name: DRAIN_DELAY_SECONDS, value: {{ .Values.drain.delaySeconds | quote }} }
- { name: DRAIN_SECONDS, value: {{ .Values.drain.seconds | quote }} }
{{- with (include "gatehouse.adminHosts" .) }}
- { name: ADMIN_HOSTS, value: {{ . | quote }} }
{{- end }}
{{- if .Values.config }}
- { name: GATEHOUSE_CONFIG, value: /etc/gatehouse/gatehouse.config.json }
{{- end }}
{{- if .Values.tls.existingSecret }}
- { name: TLS_CERT_FILE, value: /etc/gatehouse-tls/tls.crt }
- { name: TLS_KEY_FILE, value: /etc/gatehouse-tls/tls.key }
{{- end }}
{{- with .Values.blobs.url }}
- { name: BLOB_URL, value: {{ . | quote }} }
{{- end }}
{{- include "gatehouse.databaseEnv" . }}
{{- with .Values.encryptionKey }}
{{- if .existingSecret }}
- name: GATEHOUSE_ENCRYPTION_KEY
  valueFrom: { secretKeyRef: { name: {{ .existingSecret }}, key: {{ .key }} } }
{{- end }}
{{- end }}
{{- with .Values.keys.existingSecret }}
{{- range list "GATEHOUSE_API_KEY" "GATEHOUSE_ADMIN_KEY" }}
- name: {{ . }}
  valueFrom: { secretKeyRef: { name: {{ $.Values.keys.existingSecret }}, key: {{ . }}, optional: true } }
{{- end }}
{{- end }}
{{- include "gatehouse.ownEnv" . }}
{{- end -}}

{{- define "gatehouse.databaseEnv" -}}
{{- with .Values.database }}
{{- if .existingSecret }}
- name: DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ .existingSecret }}, key: {{ .key }} } }
{{- end }}
{{- end }}
{{- end -}}

{{/* What the values say themselves about variables. */}}
{{- define "gatehouse.ownEnv" -}}
{{- range $name, $value := .Values.env }}
- { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "gatehouse.envFrom" -}}
{{- range concat (compact (list .Values.blobs.existingSecret)) .Values.providers.existingSecrets }}
- secretRef: { name: {{ . }} }
{{- end }}
{{- end -}}
