import type { CollectorAddress, TelemetrySettings } from '../../platform/config/telemetry/telemetry.ts'
import { FairSemaphore, capacityFor } from '../../base/fairness/fair-semaphore.ts'
import type { CollectorAnswer } from '../../platform/telemetry/otlp/collector.ts'
import type { Signal } from '../../platform/telemetry/otlp/exporter.ts'
import type { AgentTelemetry, AgentTelemetryAnswer, Encoding } from '../agent-telemetry.ts'
import { type CollectorNetwork, type OpenTransport, openTransport } from './collector-transport.ts'

// Passes what agents measure on to the collector. Nothing waits here: an agent has its answer when the collector has the
// batch, and sends it again itself if there was no answer.

/** How many requests of one owner wait for the collector. */
const MAX_AT_ONCE = 8

type Needs = { network: CollectorNetwork; now(): number }

type OpenAgentTelemetry = AgentTelemetry & { close(): Promise<void> }

export async function openAgentTelemetry(settings: TelemetrySettings, needs: Needs): Promise<OpenAgentTelemetry> {
  const ways = new Map<string, OpenTransport>()
  for (const signal of ['traces', 'metrics', 'logs'] as const)
    for (const encoding of ['json', 'protobuf'] as const) {
      const address = addressFor(settings[signal], encoding)
      if (address) ways.set(nameOf(signal, encoding), await openTransport(signal, address, needs))
    }
  const places = new FairSemaphore({ capacity: capacityFor(MAX_AT_ONCE) })
  return { send, close: async () => void (await Promise.all(Array.from(ways.values(), (way) => way.close()))) }

  async function send(
    signal: Signal,
    { bytes, encoding, owner }: Parameters<AgentTelemetry['send']>[1],
    ended: AbortSignal,
  ): Promise<AgentTelemetryAnswer> {
    if (!settings[signal]) return 'unwanted'
    const way = ways.get(nameOf(signal, encoding))
    if (!way) return 'unreadable'
    if (!places.tryAcquire(owner)) return 'full'
    try {
      return outcomeOf(await way.transport({ bytes, isCompressed: false }, ended))
    } catch {
      return 'failed'
    } finally {
      places.release(owner)
    }
  }
}

function nameOf(signal: Signal, encoding: Encoding): string {
  return `${signal} ${encoding}`
}

/** A collector that speaks HTTP reads both encodings at one address. gRPC is protobuf. */
function addressFor(address: CollectorAddress | undefined, encoding: Encoding): CollectorAddress | undefined {
  if (!address) return undefined
  if (address.protocol !== 'grpc') return { ...address, protocol: `http/${encoding}` }
  return encoding === 'protobuf' ? address : undefined
}

function outcomeOf(answer: CollectorAnswer): AgentTelemetryAnswer {
  if (answer.kind === 'later') return 'failed'
  if (answer.kind === 'refused') return 'refused'
  return answer.rejected ? 'rejected' : 'forwarded'
}
