import type { Logger } from 'pino'
import type { Clock } from '../platform/ground.ts'
import { packageVersion } from '../platform/version.ts'
import type { Config } from '../platform/config/config.ts'
import type { OpenNetwork } from './network.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import type { OpenTelemetry } from '../calls/tracing/open-telemetry.ts'

type Needs = { network: OpenNetwork; metrics: Metrics; clock: Clock; processName: string; log: Logger }

/** Sends spans and metrics to the collector. Without a collector, not even the code is loaded. */
export async function openTelemetryIfWanted({ telemetry }: Config, needs: Needs): Promise<OpenTelemetry | undefined> {
  if (!telemetry) return undefined
  const { network, metrics, clock, processName, log } = needs
  const { openTelemetry } = await import('../calls/tracing/open-telemetry.ts')
  const process = { version: packageVersion(), instance: processName }
  return await openTelemetry(telemetry, { network, metrics, ...clock, log, ...process })
}
