import type { Gateway } from '../server/gateway.ts'
import type { Log } from './log.ts'
import { untilStopped } from './until-stopped.ts'

type Run = {
  gateway: Pick<Gateway, 'firstTry' | 'opened' | 'ready' | 'services'>
  log: Log
  /** Called when the store is there, before the gateway says that it is ready. */
  started?: () => Promise<void>
  /** What the log says about the gateway. A process without it says nothing. */
  listening?: object
  close: Gateway['close']
  /** What SIGHUP does. By default, the configuration is reloaded. */
  reload?: () => void
}

const PENDING = Symbol()

/** Completes the start as soon as the store is there, and runs until there is a reason to stop. */
export async function runGateway(run: Run): Promise<number> {
  const { gateway, log, started, listening, close, reload = reloading } = run
  await firstTry().catch(closeAndThrow)
  const failed = Promise.withResolvers<never>()
  completeStart().catch(failed.reject)
  try {
    return await Promise.race([untilStopped(log, close, reload), failed.promise])
  } catch (error) {
    return await closeAndThrow(error)
  }

  /**
   * Meanwhile a signal ends the process at once. It has accepted no request, and what it did of a migration is undone.
   * Waiting for the end of the migration could take longer than a supervisor waits before it kills the process.
   */
  async function firstTry() {
    const isPending = (await Promise.race([gateway.firstTry, PENDING])) === PENDING
    if (isPending && listening)
      log.info(listening, 'the start takes long; until the database is open, requests get a 503')
    if (!(await gateway.firstTry) && listening)
      log.warn(listening, 'waiting for the database; meanwhile only callers that are known without it are served')
  }

  async function closeAndThrow(error: unknown): Promise<never> {
    await close()
    throw error
  }

  async function completeStart() {
    await gateway.opened
    await started?.()
    gateway.ready()
    if (listening) log.info(listening, 'listening')
  }

  /** What became of a reload is in the log. */
  function reloading() {
    void gateway.services.operations.reloadConfig().catch(() => undefined)
  }
}
