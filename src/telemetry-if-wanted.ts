import type { Logger } from 'pino'
import type { AppContext } from './app/context.ts'
import { packageVersion } from './cli/version.ts'
import type { OpenNetwork } from './network.ts'
import type { OpenTelemetry } from './tracing/open-telemetry.ts'

/** Gives the context its tracing. Without a collector, not even the code is loaded. */
export async function openTelemetryIfWanted(
  context: AppContext,
  { upstream }: OpenNetwork,
  log: Logger,
): Promise<OpenTelemetry | undefined> {
  const { config, metrics, now, monotonic, processName } = context
  if (!config.telemetry) return undefined
  const { openTelemetry } = await import('./tracing/open-telemetry.ts')
  const process = { version: packageVersion(), instance: processName }
  const opened = openTelemetry(config.telemetry, { send: upstream.send, metrics, now, monotonic, log, ...process })
  context.tracing = opened.tracing
  return opened
}
