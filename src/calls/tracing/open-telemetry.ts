import type { CollectorAddress, TelemetrySettings } from '../../platform/config/telemetry/telemetry.ts'
import { Exporter, type ExporterTools } from '../../platform/telemetry/otlp/exporter.ts'
import type { Envelope } from '../../platform/telemetry/otlp/format.ts'
import { JSON_FORMAT } from '../../platform/telemetry/otlp/json-format.ts'
import { MetricReader } from '../../platform/telemetry/otlp/metric-reader.ts'
import { SpanQueue } from '../../platform/telemetry/otlp/span-queue.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { namesOf } from '../../platform/telemetry/semconv.ts'
import { type CollectorNetwork, type OpenTransport, openTransport } from './collector-transport.ts'
import type { Tracing } from '../tracing.ts'
import type { AgentTelemetry } from '../agent-telemetry.ts'
import { openAgentTelemetry } from './agent-telemetry.ts'
import { ModelMetrics } from './model-metrics.ts'
import { openSampler } from './sampler.ts'
import { SpanParts } from './span-parts.ts'
import { OpenTracing } from './open-tracing.ts'

// This module and what it imports are only loaded if a collector is configured.

/** What the process offers. `version` is that of the gateway, `instance` the name of this process. */
export type TelemetryNeeds = {
  network: CollectorNetwork
  metrics: Metrics
  now(): number
  monotonic(): number
  log: { warn(fields: object, message: string): void }
  version: string
  instance: string
}

export type OpenTelemetry = {
  tracing: Tracing
  agents: AgentTelemetry
  /** Sends what waits. */
  flush(): Promise<void>
  /** Sends what waits, for as long as there is time. */
  close(deadlineMs: number): Promise<void>
}

export async function openTelemetry(settings: TelemetrySettings, needs: TelemetryNeeds): Promise<OpenTelemetry> {
  const agents = await openAgentTelemetry(settings, needs)
  const names = namesOf(settings.conventions)
  const common = { settings, envelope: envelopeOf(settings, needs, names.schemaUrl), tools: toolsOf(needs) }
  const [traces, metrics] = await Promise.all([
    settings.traces && openTransport('traces', withinExport(settings.traces, settings), needs),
    settings.metrics && openTransport('metrics', settings.metrics, needs),
  ])
  // Without traces no span is ever encoded.
  const parts = new SpanParts(names, traces?.format ?? JSON_FORMAT)
  const models = new ModelMetrics(parts)
  const spans = traces && openSpans(common, traces)
  const points = metrics && openPoints(common, metrics, models, needs)
  const exporters = [spans, points].flatMap((opened) => opened?.exporter ?? [])
  const [queue, reader] = [spans?.queue, points?.reader]
  const tracing = new OpenTracing({ ...needs, sampler: openSampler(settings.sampler), parts, metrics: models, queue })
  return { tracing, agents, flush, close }

  async function flush(): Promise<void> {
    await Promise.all([queue?.flush(), reader?.push()])
  }

  async function close(deadlineMs: number): Promise<void> {
    tracing.release()
    for (const exporter of exporters) exporter.hurry()
    const deadline = setTimeout(() => {
      for (const exporter of exporters) exporter.giveUp()
    }, deadlineMs)
    await Promise.all([queue?.flush(), reader?.close()])
    clearTimeout(deadline)
    await Promise.all([traces?.close(), metrics?.close(), agents.close()])
  }
}

/** A batch of spans has a time of its own. */
function withinExport(traces: CollectorAddress, { spans }: TelemetrySettings): CollectorAddress {
  return { ...traces, timeoutMs: Math.min(traces.timeoutMs, spans.exportTimeoutMs) }
}

type Common = { settings: TelemetrySettings; envelope: Envelope; tools: ExporterTools }

function openSpans({ settings: { spans: limits }, envelope, tools }: Common, way: OpenTransport) {
  const exporter = new Exporter('traces', way, tools)
  const queue = new SpanQueue({
    ...limits,
    packing: way.format.packSpans(envelope),
    send: (batch) => exporter.send(batch),
    dropped: (count) => tools.dropped('traces', 'full', count),
  })
  return { exporter, queue }
}

function openPoints(
  { settings, envelope, tools }: Common,
  way: OpenTransport,
  models: ModelMetrics,
  { now, metrics }: TelemetryNeeds,
) {
  const exporter = new Exporter('metrics', way, tools)
  const startMs = now()
  const reader = new MetricReader({
    intervalMs: settings.metricIntervalMs,
    families: () => [...metrics.families(), ...models.families],
    window: () => ({ startMs, nowMs: now() }),
    format: way.format,
    envelope,
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

function toolsOf({ metrics, monotonic, log }: TelemetryNeeds): ExporterTools {
  return {
    monotonic,
    random: Math.random,
    sleep: (ms, signal) => sleepOrHurry(ms, signal),
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
