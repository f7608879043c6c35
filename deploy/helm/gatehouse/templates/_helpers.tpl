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
{{- $several := or $v.autoscaling.enabled (gt (int $v.replicaCount) 1) -}}
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
{{- if and $v.autoscaling.enabled (gt (int $v.autoscaling.minReplicas) (int $v.autoscaling.maxReplicas)) -}}
{{- fail "autoscaling.minReplicas must not exceed autoscaling.maxReplicas" -}}
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
