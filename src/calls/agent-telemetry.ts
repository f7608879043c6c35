import type { Signal } from '../platform/telemetry/otlp/exporter.ts'

/** How a batch of OpenTelemetry is written. */
export type Encoding = 'json' | 'protobuf'

/**
 * What became of a batch. `unwanted`: no collector is configured for its signal. `unreadable`: the collector speaks only the other encoding.
 * `full`: too many wait already. `failed`: the collector is away. `refused`, `rejected`: it takes nothing of the batch, or not all of it.
 */
export type AgentTelemetryAnswer = 'forwarded' | 'unwanted' | 'unreadable' | 'full' | 'failed' | 'refused' | 'rejected'

/** The way of what agents measure to the operator's collector. It is absent if there is no collector. */
export type AgentTelemetry = {
  send(
    signal: Signal,
    batch: { bytes: Uint8Array; encoding: Encoding; owner: string },
    ended: AbortSignal,
  ): Promise<AgentTelemetryAnswer>
}
