{{/*
A StatefulSet by default, because each replica has a volume of its own: the journal of the ledger has to be there when the replica
comes back after a crash. In a Deployment, replicas would share one volume or lose it, so there is one only without volumes.
(dict "root" $ "component" "gateway" "replicas" 3 "isScaled" false)
*/}}
{{- define "gatehouse.workload" -}}
{{- $component := . -}}
{{- $name := include "gatehouse.componentName" . -}}
{{- $kind := include "gatehouse.kind" .root -}}
{{- with .root -}}
apiVersion: apps/v1
kind: {{ $kind }}
metadata:
  name: {{ $name }}
  namespace: {{ .Release.Namespace }}
  labels:
    {{- include "gatehouse.labels" . | nindent 4 }}
    app.kubernetes.io/component: {{ $component.component }}
spec:
  {{- if not $component.isScaled }}
  replicas: {{ $component.replicas }}
  {{- end }}
  {{- if eq $kind "StatefulSet" }}
  serviceName: {{ include "gatehouse.fullname" . }}-pods
  # Replicas do not wait for each other when they are scaled.
  podManagementPolicy: Parallel
  updateStrategy:
    type: RollingUpdate
    {{- if ne (toString .Values.rollout.maxUnavailable) "1" }}
    rollingUpdate: { maxUnavailable: {{ .Values.rollout.maxUnavailable }} }
    {{- end }}
  {{- else }}
  strategy:
    type: RollingUpdate
    rollingUpdate: { maxUnavailable: {{ .Values.rollout.maxUnavailable }}, maxSurge: {{ .Values.rollout.maxSurge }} }
  {{- end }}
  selector:
    matchLabels: {{- include "gatehouse.componentSelector" $component | nindent 6 }}
  {{- if eq $kind "StatefulSet" }}
  persistentVolumeClaimRetentionPolicy:
    whenScaled: {{ .Values.persistence.whenScaled }}
    whenDeleted: {{ .Values.persistence.whenDeleted }}
  volumeClaimTemplates:
    - apiVersion: v1
      kind: PersistentVolumeClaim
      metadata:
        name: data
        labels: {{- include "gatehouse.componentSelector" $component | nindent 10 }}
      spec:
        accessModes: {{- toYaml .Values.persistence.accessModes | nindent 10 }}
        {{- with .Values.persistence.storageClass }}
        storageClassName: {{ . | quote }}
        {{- end }}
        resources:
          requests:
            storage: {{ .Values.persistence.size }}
  {{- end }}
  template:
    metadata:
      labels:
        {{- include "gatehouse.labels" . | nindent 8 }}
        app.kubernetes.io/component: {{ $component.component }}
        {{- with .Values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        checksum/config: {{ toJson .Values.config | sha256sum }}
        {{- with .Values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- include "gatehouse.pod" $component | nindent 6 }}
{{- end }}
{{- end -}}
