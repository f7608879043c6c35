import { readFileSync } from 'node:fs'
import { readCheckpoint, signatureCheck } from '../../tenants/audit/checkpoints.ts'
import { verifyAudit } from '../../tenants/audit/verify.ts'
import { loadConfig } from '../../platform/config/config.ts'
import { openStore } from '../../server/open-store.ts'
import { openSecrets } from '../../platform/secrets/secrets.ts'
import type { Checkpoint } from '../../platform/store/audit/checkpoints.ts'
import { openWebhookKeys } from '../../jobs/webhooks/webhook-keys.ts'
import type { Input } from '../command-line/command-table.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'

/** Prints what is wrong with the audit log, one line for each fault, and ends with 1 if there is anything. */
export async function verifyAuditCommand({ values }: Input<'audit verify'>, terminal: Terminal): Promise<number> {
  const further = (values.checkpoint ?? []).flatMap(checkpointsIn)
  const given = (values.key ?? []).map(textOf)
  const config = loadConfig(terminal.environment)
  const db = await openStore(config)
  try {
    const keys = await openWebhookKeys(await openSecrets(db, config), config)
    const check = signatureCheck([keys.current.publicPem, ...given])
    const { rows, checkpoints, faults } = await verifyAudit(db, check, further)
    for (const { seq, fault } of faults) terminal.print(`row ${seq}: ${fault}\n`)
    terminal.remark(`${rows} rows, ${checkpoints} checkpoints, ${faults.length === 0 ? 'no fault' : 'not intact'}.\n`)
    if (checkpoints === 0) terminal.remark(NO_CHECKPOINT)
    return faults.length === 0 ? 0 : 1
  } finally {
    await db.close()
  }
}

const NO_CHECKPOINT =
  'Without a checkpoint, a log whose end was cut off looks intact. Name one with --checkpoint FILE.\n'

/** A JSON document, or lines of JSON such as those of the log. Lines that are something else are left out. */
function checkpointsIn(file: string): Checkpoint[] {
  const text = textOf(file)
  const found = [text, ...text.split('\n')].flatMap((part) => readCheckpoint(parsed(part)) ?? [])
  if (found.length === 0) throw new UsageError(`${file} has no checkpoint of an audit log.`)
  return found
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}). Check the path.`)
  }
}
