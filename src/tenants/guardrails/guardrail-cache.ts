import type { Logger } from 'pino'
import { GUARDRAIL_HOLDERS, type Guardrail } from '../../platform/config/guardrails/guardrail.ts'
import { guardrailOf } from '../../platform/config/guardrails/guardrail-entry.ts'
import type { Database } from '../../platform/store/database.ts'
import { guardrailVersion, readStoredGuardrails } from '../../platform/store/guardrails/stored-guardrails.ts'
import type { GuardrailFile, KeptGuardrail } from './guardrail-file.ts'
import type { KnownGuardrails, UnreadableGuardrail } from './guardrail-table.ts'
import { readWhenChanged } from '../../platform/store/installation/read-when-changed.ts'

export const MAX_STORED_GUARDRAILS = 1_000

type Needs = {
  db: Database
  log: Pick<Logger, 'info' | 'error' | 'warn'>
  /** What processes of this folder knew last, for a start without the store. */
  file?: GuardrailFile | undefined
  replace(stored: KnownGuardrails): void
}

/** Reads the guardrails of the store if they have changed. Without the store, the process continues with what it knows. */
export function guardrailCache({ db, log, file, replace }: Needs): { refresh(): Promise<void>; recall(): void } {
  const use = (rows: readonly KeptGuardrail[]) => {
    const all = rows.map((row) => readSettings(row.settings) ?? unreadable(row))
    for (const one of all) if (!isGuardrail(one)) log.error({ guardrail: one.id, appliesTo: one.appliesTo }, UNREADABLE)
    replace({
      guardrails: all.filter(isGuardrail),
      unreadable: all.filter((one): one is UnreadableGuardrail => !isGuardrail(one)),
    })
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

const UNREADABLE =
  'a guardrail in the store cannot be read by this version, so calls that it applies to are refused: start the version that wrote it, ' +
  'or delete it with DELETE /admin/guardrails/{id}'

function isGuardrail(one: Guardrail | UnreadableGuardrail): one is Guardrail {
  return 'checks' in one
}

/** What is demanded is not known, but of whom. */
export function unreadable({ id, holder, holderId }: KeptGuardrail): UnreadableGuardrail {
  const known = GUARDRAIL_HOLDERS.find((one) => one === holder) ?? 'all'
  return { id, appliesTo: { holder: known, id: known === 'all' ? null : holderId } }
}

/** Undefined if it was damaged, or written by another version. */
export function readSettings(settings: string): Guardrail | undefined {
  try {
    const guardrail = guardrailOf(JSON.parse(settings), 'api', [])
    return 'id' in guardrail ? guardrail : undefined
  } catch {
    return undefined
  }
}
