import type { Logger } from 'pino'
import { checkpointBody, type Signer, writeCheckpoint } from './audit/checkpoints.ts'
import type { Database } from './store/database.ts'

const LOOK_MS = 60_000

type Needs = {
  db: Database
  /** The key may be replaced at any time. */
  signer(): Signer
  log: Logger
  now(): number
  /** Sends a checkpoint to receivers outside of the installation, if there are any. */
  ship?: ((checkpoint: ReturnType<typeof checkpointBody>) => Promise<void>) | undefined
}

/** Writes checkpoints of the audit log when they are due. They leave the installation with the log, and by webhook. */
export function openCheckpoints({ db, signer, log, now, ship }: Needs) {
  let last: Promise<void> = Promise.resolve()
  const look = () => {
    last = last.then(write).catch((error) => log.warn({ error: String(error) }, 'no checkpoint of the audit log'))
    return last
  }
  const timer = setInterval(look, LOOK_MS).unref()
  void look()
  return {
    look,
    close: async () => {
      clearInterval(timer)
      await last
    },
  }

  async function write() {
    const written = await writeCheckpoint(db, signer(), now())
    if (!written) return
    const checkpoint = checkpointBody(written)
    log.info({ checkpoint }, 'checkpoint of the audit log')
    await ship?.(checkpoint)
  }
}
