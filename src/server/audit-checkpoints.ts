import type { Logger } from 'pino'
import { messagesTo } from '../jobs/alerts/messages.ts'
import { checkpointBody, type Shipping, type Signer, writeCheckpoint } from '../tenants/audit/checkpoints.ts'
import type { Receiver } from '../platform/config/alerts/alerts.ts'
import type { Database } from '../platform/store/database.ts'

const LOOK_MS = 60_000

type Needs = {
  db: Database
  /** The key may be replaced at any time. */
  signer(): Signer
  log: Logger
  now(): number
  newId(): string
  /** Of the config file. Some of them want checkpoints. */
  receivers(): readonly Receiver[]
  wakeDeliverer(): void
}

/** Writes checkpoints of the audit log when they are due. They leave the installation with the log and as webhooks. */
export function openCheckpoints({ db, signer, log, now, newId, receivers, wakeDeliverer }: Needs) {
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
    const written = await writeCheckpoint(db, signer(), now(), ship)
    if (!written) return
    wakeDeliverer()
    log.info({ checkpoint: checkpointBody(written) }, 'checkpoint of the audit log')
  }

  /** The signature of the checkpoint is in the body, so that `gatehouse audit verify --checkpoint` reads what was received. */
  async function ship(...[checkpoint]: Parameters<Shipping>) {
    const event = { event: 'audit_checkpoint', checkpoint: checkpointBody(checkpoint) }
    const wanting = receivers().filter(({ checkpoints }) => checkpoints)
    return await messagesTo(wanting, event, { signer: signer(), newId })
  }
}
