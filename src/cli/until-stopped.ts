import cluster from 'node:cluster'
import type { Gateway } from '../server/gateway.ts'
import { hasLostTerminal } from './hang-up.ts'
import type { Log } from './log.ts'

/**
 * A terminal sends Ctrl-C to npm and to us, and npm forwards it. A second signal within this time is not a second request.
 */
const ONE_SIGNAL_MS = 500

/**
 * Waits for a reason to stop, then lets running work finish. A second signal ends the process at once. SIGTERM comes from
 * something that may still send requests here, so it is announced first; Ctrl-C is not.
 */
export async function untilStopped(log: Log, close: Gateway['close'], reload: () => void): Promise<number> {
  const { reason, code } = await reasonToStop(log, reload)
  log.info({ reason }, 'draining')
  const since = performance.now()
  // Ctrl-C reaches every process of a cluster, and then the primary forwards it. So only the primary treats a second signal
  // as a request to end at once.
  const again = () => cluster.isPrimary && performance.now() - since > ONE_SIGNAL_MS && process.exit(1)
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, again)
  await close({ announce: reason === 'SIGTERM' })
  log.info('stopped')
  await log.flush()
  return code
}

/**
 * Waits for a signal or an uncaught error. After an uncaught error the state may be wrong, so the process drains and exits.
 */
function reasonToStop(log: Log, reload: () => void): Promise<{ reason: string; code: number }> {
  return new Promise((resolve) => {
    process.on('SIGHUP', () => {
      if (hasLostTerminal()) resolve({ reason: 'SIGHUP', code: 0 })
      else reload()
    })
    for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => resolve({ reason: signal, code: 0 }))
    for (const event of ['uncaughtException', 'unhandledRejection']) {
      process.on(event, (error) => {
        log.fatal({ err: error }, event)
        resolve({ reason: event, code: 1 })
      })
    }
  })
}
