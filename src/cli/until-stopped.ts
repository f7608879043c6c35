import cluster from 'node:cluster'
import type { Log } from './log.ts'

/** The terminal tells Ctrl-C to npm and to us, and npm tells us once more: so soon, that is no second wish. */
const ONE_SIGNAL_MS = 500

/** Waits for a reason to stop, then lets what runs finish. A second signal ends it at once. */
export async function untilStopped(log: Log, close: () => Promise<void>): Promise<number> {
  const { reason, code } = await reasonToStop(log)
  log.info({ reason }, 'draining')
  const since = performance.now()
  // Ctrl-C reaches every process of a fleet, and then its first one tells the others too: only there it is a second wish.
  const again = () => cluster.isPrimary && performance.now() - since > ONE_SIGNAL_MS && process.exit(1)
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, again)
  await close()
  log.info('stopped')
  await log.flush()
  return code
}

/** A signal asks us to stop; an error that nobody caught makes us: the state may be wrong, so we drain and leave. */
function reasonToStop(log: Log): Promise<{ reason: string; code: number }> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => resolve({ reason: signal, code: 0 }))
    for (const event of ['uncaughtException', 'unhandledRejection']) {
      process.on(event, (error) => {
        log.fatal({ err: error }, event)
        resolve({ reason: event, code: 1 })
      })
    }
  })
}
