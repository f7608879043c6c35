import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Logger } from 'pino'
import { isRecord } from '../../base/schema/record.ts'

// The guardrails of the store, on disk: a process that starts while the store is away answers callers that it knows from its key file,
// and must hold what was demanded of them. Without this file, it answers no calls until it has reached the store.

const OWNER_ONLY = 0o600
const OWNER_ONLY_FOLDER = 0o700

/** `holder` and `holderId`: whom it applies to, also if the settings cannot be read. */
export type KeptGuardrail = { id: string; holder: string; holderId: string | null; settings: string }

export class GuardrailFile {
  readonly #path: string
  readonly #log: Pick<Logger, 'warn'>

  constructor(path: string, log: Pick<Logger, 'warn'>) {
    this.#path = path
    this.#log = log
  }

  /** Undefined if there is none, or if it is damaged. */
  read(): KeptGuardrail[] | undefined {
    try {
      const kept: unknown = JSON.parse(readFileSync(this.#path, 'utf8'))
      return Array.isArray(kept) && kept.every(isKept) ? kept : undefined
    } catch {
      return undefined
    }
  }

  keep(guardrails: readonly KeptGuardrail[]): void {
    const temporary = `${this.#path}.${process.pid}.tmp`
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: OWNER_ONLY_FOLDER })
      const kept = guardrails.map(({ id, holder, holderId, settings }) => ({ id, holder, holderId, settings }))
      writeFileSync(temporary, JSON.stringify(kept), { mode: OWNER_ONLY, flush: true })
      renameSync(temporary, this.#path)
    } catch (error) {
      this.#log.warn({ error: String(error) }, 'guardrails cannot be kept on disk')
    }
  }
}

function isKept(value: unknown): value is KeptGuardrail {
  if (!isRecord(value)) return false
  const { id, holder, holderId, settings } = value
  const isHeld = typeof holder === 'string' && (typeof holderId === 'string' || holderId === null)
  return typeof id === 'string' && typeof settings === 'string' && isHeld
}
