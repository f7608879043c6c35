import type { Logger } from 'pino'
import type { AppContext } from './app/context.ts'
import { packageVersion } from './cli/version.ts'
import type { OpenNetwork } from './network.ts'
import type { OpenTelemetry } from './tracing/open-telemetry.ts'

/** Without a collector, not even the code is loaded. */
export async function openTelemetryIfWanted(
  { config, metrics, now, monotonic, processName }: AppContext,
  { upstream }: OpenNetwork,
  log: Logger,
): Promise<OpenTelemetry | undefined> {
  if (!config.telemetry) return undefined
  const { openTelemetry } = await import('./tracing/open-telemetry.ts')
  const process = { version: packageVersion(), instance: processName }
  return openTelemetry(config.telemetry, { send: upstream.send, metrics, now, monotonic, log, ...process })
}
