import type { TelemetrySettings } from '../../platform/config/telemetry/telemetry.ts'
import {
  type CollectorAnswer,
  type CollectorRequest,
  Exporter,
  type ExporterTools,
} from '../../platform/telemetry/otlp/exporter.ts'
import { aroundMetrics, aroundSpans, type Envelope } from '../../platform/telemetry/otlp/envelope.ts'
import { MetricReader } from '../../platform/telemetry/otlp/metric-reader.ts'
import { SpanQueue } from '../../platform/telemetry/otlp/span-queue.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { namesOf } from '../../platform/telemetry/semconv.ts'
import { readRetryAfter } from '../../translation/wire/retry-after.ts'
import { GATEWAY_OWNER, type Send } from '../../translation/wire/wire.ts'
import { readText } from '../../platform/net/read-text.ts'
import type { Tracing } from '../tracing.ts'
import { ModelMetrics } from './model-metrics.ts'
import { openSampler } from './sampler.ts'
import { SpanParts } from './span-parts.ts'
import { OpenTracing } from './open-tracing.ts'
import { DAY_MS } from '../../base/units/units.ts'

// This module and what it imports are only loaded if a collector is configured.

const MAX_ANSWER_BYTES = 64 * 1024

/** What the process offers. `version` is that of the gateway, `instance` the name of this process. */
export type TelemetryNeeds = {
  send: Send
  metrics: Metrics
  now(): number
  monotonic(): number
  log: { warn(fields: object, message: string): void }
  version: string
  instance: string
}

export type OpenTelemetry = {
  tracing: Tracing
  /** Sends what waits. */
  flush(): Promise<void>
  /** Sends what waits, for as long as there is time. */
  close(deadlineMs: number): Promise<void>
}

export function openTelemetry(settings: TelemetrySettings, needs: TelemetryNeeds): OpenTelemetry {
  const names = namesOf(settings.conventions)
  const common = { settings, envelope: envelopeOf(settings, needs, names.schemaUrl), tools: toolsOf(needs) }
  const parts = new SpanParts(names)
  const models = new ModelMetrics(parts)
  const spans = openSpans(common)
  const points = openPoints(common, models, needs)
  const exporters = [spans, points].flatMap((opened) => opened?.exporter ?? [])
  const [queue, reader] = [spans?.queue, points?.reader]
  const tracing = new OpenTracing({ ...needs, sampler: openSampler(settings.sampler), parts, metrics: models, queue })
  return { tracing, flush, close }

  async function flush(): Promise<void> {
    await Promise.all([queue?.flush(), reader?.push()])
  }

  async function close(deadlineMs: number): Promise<void> {
    for (const exporter of exporters) exporter.hurry()
    const deadline = setTimeout(() => {
      for (const exporter of exporters) exporter.giveUp()
    }, deadlineMs)
    await Promise.all([queue?.flush(), reader?.close()])
    clearTimeout(deadline)
  }
}

type Common = { settings: TelemetrySettings; envelope: Envelope; tools: ExporterTools }

function openSpans({ settings: { traces, spans: limits }, envelope, tools }: Common) {
  if (!traces) return undefined
  const timeoutMs = Math.min(traces.timeoutMs, limits.exportTimeoutMs)
  const exporter = new Exporter('traces', { ...traces, timeoutMs }, tools)
  const queue = new SpanQueue({
    ...limits,
    around: aroundSpans(envelope),
    send: (batch) => exporter.send(batch),
    dropped: (count) => tools.dropped('traces', 'full', count),
  })
  return { exporter, queue }
}

function openPoints({ settings, envelope, tools }: Common, models: ModelMetrics, { now, metrics }: TelemetryNeeds) {
  if (!settings.metrics) return undefined
  const exporter = new Exporter('metrics', settings.metrics, tools)
  const startMs = now()
  const reader = new MetricReader({
    intervalMs: settings.metricIntervalMs,
    families: () => [...metrics.families(), ...models.families],
    window: () => ({ startMs, nowMs: now() }),
    around: aroundMetrics(envelope),
    send: (batch) => exporter.send(batch),
  })
  return { exporter, reader }
}

function envelopeOf(settings: TelemetrySettings, { version, instance }: TelemetryNeeds, schemaUrl: string): Envelope {
  const resource = {
    'service.name': settings.serviceName,
    'service.version': version,
    'service.instance.id': instance,
    'telemetry.sdk.name': 'gatehouse',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': version,
    ...settings.resource,
  }
  return { resource, scope: { name: 'gatehouse', version }, schemaUrl }
}

function toolsOf({ send, metrics, now, monotonic, log }: TelemetryNeeds): ExporterTools {
  return {
    monotonic,
    random: Math.random,
    sleep: (ms, signal) => sleepOrHurry(ms, signal),
    post: (request, timeoutMs, signal) =>
      post({ send, now }, request, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])),
    dropped: (signal, reason, count) => metrics.telemetryDropped.add([signal, reason], count),
    warn: (fields, message) => log.warn(fields, message),
  }
}

function sleepOrHurry(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(done, ms).unref()
    signal.addEventListener('abort', done, { once: true })

    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
  })
}

/** Goes out as requests to providers do: through the operator's proxies, with the strict client. */
async function post(
  { send, now }: Pick<TelemetryNeeds, 'send' | 'now'>,
  request: CollectorRequest,
  signal: AbortSignal,
): Promise<CollectorAnswer> {
  const timeouts = { headersMs: MAX_WAIT_MS, idleMs: MAX_WAIT_MS }
  const response = await send({ ...request, method: 'POST' }, { signal, timeouts, owner: GATEWAY_OWNER })
  const text = await readText(response.body, MAX_ANSWER_BYTES).catch(() => '')
  return { status: response.status, retryAfterSeconds: readRetryAfter(response, now()), text }
}

/** The signal ends the request earlier. */
const MAX_WAIT_MS = DAY_MS
