import type { Logger } from 'pino'
import type { Guardrail } from '../../platform/config/guardrails/guardrail.ts'
import { guardrailOf } from '../../platform/config/guardrails/guardrail-entry.ts'
import type { Database } from '../../platform/store/database.ts'
import { guardrailVersion, readStoredGuardrails } from '../../platform/store/guardrails/stored-guardrails.ts'
import type { GuardrailFile, KeptGuardrail } from './guardrail-file.ts'
import { readWhenChanged } from '../../platform/store/installation/read-when-changed.ts'

export const MAX_STORED_GUARDRAILS = 1_000

type Needs = {
  db: Database
  log: Pick<Logger, 'info' | 'error' | 'warn'>
  /** What processes of this folder knew last, for a start without the store. */
  file?: GuardrailFile | undefined
  replace(guardrails: readonly Guardrail[]): void
}

/** Reads the guardrails of the store if they have changed. Without the store, the process continues with what it knows. */
export function guardrailCache({ db, log, file, replace }: Needs): { refresh(): Promise<void>; recall(): void } {
  const use = (rows: readonly KeptGuardrail[]) => {
    replace(
      rows.flatMap(({ id, settings }) => {
        const guardrail = readSettings(settings)
        if (!guardrail) log.error({ guardrail: id }, 'a guardrail in the store cannot be read')
        return guardrail ?? []
      }),
    )
  }
  const recall = () => {
    const kept = file?.read()
    if (kept) use(kept)
  }
  let hasRead = false
  const read = async () => {
    const rows = await readStoredGuardrails(db, MAX_STORED_GUARDRAILS)
    use(rows)
    hasRead = true
    file?.keep(rows)
    log.info({ guardrails: rows.length }, 'the guardrails of the store were read')
  }
  const readChanged = readWhenChanged({ version: () => guardrailVersion(db), read })
  // A store that never had a guardrail has not changed, but from now on it is known.
  const refresh = async () => {
    await readChanged()
    if (!hasRead) await read()
  }
  return { refresh, recall }
}

/** Undefined if it was damaged. */
export function readSettings(settings: string): Guardrail | undefined {
  try {
    const guardrail = guardrailOf(JSON.parse(settings), 'api', [])
    return 'id' in guardrail ? guardrail : undefined
  } catch {
    return undefined
  }
}
