{{- define "gatehouse.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "gatehouse.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Of one component, `gateway` or `worker`: (dict "root" $ "component" "worker"). */}}
{{- define "gatehouse.componentSelector" -}}
{{ include "gatehouse.selectorLabels" .root }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "gatehouse.componentName" -}}
{{- include "gatehouse.fullname" .root }}{{ if ne .component "gateway" }}-{{ .component }}{{ end }}
{{- end -}}

{{/* Without volumes, replicas need no name of their own, and a Deployment can start new ones before it ends old ones. */}}
{{- define "gatehouse.kind" -}}
{{- .Values.persistence.enabled | ternary "StatefulSet" "Deployment" -}}
{{- end -}}

{{- define "gatehouse.labels" -}}
{{ include "gatehouse.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end -}}

{{- define "gatehouse.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "gatehouse.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "gatehouse.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{/* The names of the admin service, as ADMIN_HOSTS wants them: a host name that is not listed is refused. */}}
{{- define "gatehouse.adminHosts" -}}
{{- $name := printf "%s-admin" (include "gatehouse.fullname" .) -}}
{{- $namespaced := printf "%s.%s" $name .Release.Namespace -}}
{{- $own := ternary (list $name $namespaced (printf "%s.svc" $namespaced) (printf "%s.svc.cluster.local" $namespaced)) (list) .Values.admin.enabled -}}
{{- join "," (concat $own .Values.admin.hosts) -}}
{{- end -}}

{{/* What cannot work is refused here, before it fails in the cluster. */}}
{{- define "gatehouse.validate" -}}
{{- $v := .Values -}}
{{- $several := or $v.autoscaling.enabled $v.worker.enabled (gt (int $v.replicaCount) 1) -}}
{{- if and $several (not $v.database.existingSecret) -}}
{{- fail "more than one replica needs PostgreSQL: set database.existingSecret" -}}
{{- end -}}
{{- if and $several (not $v.encryptionKey.existingSecret) -}}
{{- fail "more than one replica needs a shared encryption key: set encryptionKey.existingSecret" -}}
{{- end -}}
{{- if and $several (not $v.blobs.url) (not $v.blobs.existingClaim) -}}
{{- fail "more than one replica needs shared files: set blobs.url (S3) or blobs.existingClaim (ReadWriteMany)" -}}
{{- end -}}
{{- if and $v.blobs.url $v.blobs.existingClaim -}}
{{- fail "set either blobs.url or blobs.existingClaim" -}}
{{- end -}}
{{- range $path, $scaling := dict "autoscaling" $v.autoscaling "worker.autoscaling" $v.worker.autoscaling -}}
{{- if $scaling.enabled -}}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) -}}
{{- fail (printf "%s.minReplicas must not exceed %s.maxReplicas" $path $path) -}}
{{- end -}}
{{- if not (or $scaling.targetCPUUtilizationPercentage $scaling.targetMemoryUtilizationPercentage $scaling.targetInFlight $scaling.targetQueuedJobs $scaling.metrics) -}}
{{- fail (printf "%s needs at least one target" $path) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and $v.migrationJob.enabled (not $v.database.existingSecret) -}}
{{- fail "migrationJob needs PostgreSQL: set database.existingSecret" -}}
{{- end -}}
{{- if and $v.persistence.enabled (has (toString $v.rollout.maxUnavailable) (list "0" "0%")) -}}
{{- fail "rollout.maxUnavailable must not be 0 with persistence: a StatefulSet starts no replica before it has ended one" -}}
{{- end -}}
{{- if and (has (toString $v.rollout.maxUnavailable) (list "0" "0%")) (has (toString $v.rollout.maxSurge) (list "0" "0%")) -}}
{{- fail "rollout.maxUnavailable and rollout.maxSurge must not both be 0" -}}
{{- end -}}
{{- if and $v.httpRoute.enabled (not $v.httpRoute.parentRefs) -}}
{{- fail "httpRoute needs parentRefs: the Gateway that it belongs to" -}}
{{- end -}}
{{- range concat $v.sidecars $v.initContainers -}}
{{- if eq .name "gatehouse" -}}
{{- fail "sidecars and initContainers: the name gatehouse is the gateway's own" -}}
{{- end -}}
{{- end -}}
{{- range $v.extraVolumes -}}
{{- if has .name (list "data" "tmp" "blobs" "config" "tls") -}}
{{- fail (printf "extraVolumes: the name %s is one of the chart's own volumes" .name) -}}
{{- end -}}
{{- end -}}
{{- $drain := addf $v.drain.delaySeconds $v.drain.seconds 2.0 -}}
{{- if gt $drain (float64 $v.terminationGracePeriodSeconds) -}}
{{- fail (printf "terminationGracePeriodSeconds must be at least drain.delaySeconds + drain.seconds + 2 (%v)" $drain) -}}
{{- end -}}
{{- if or (hasKey $v.config "tlsCertFile") (hasKey $v.config "tlsKeyFile") -}}
{{- fail "config: set tls.existingSecret for a certificate, because the probes have to know about it" -}}
{{- end -}}
{{- $own := list "HOST" "PORT" "ADMIN_HOST" "ADMIN_PORT" "DATA_DIR" "DATABASE_URL" "BLOB_URL" "GATEHOUSE_ENCRYPTION_KEY" "DRAIN_DELAY_SECONDS" "DRAIN_SECONDS" "ADMIN_HOSTS" "GATEHOUSE_CONFIG" "TLS_CERT_FILE" "TLS_KEY_FILE" -}}
{{- range $name, $_ := $v.env -}}
{{- if has $name $own -}}
{{- fail (printf "env.%s: the chart sets this variable, use its own value for it" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
