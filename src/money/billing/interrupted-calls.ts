import { rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Database } from '../../platform/store/database.ts'
import type { LedgerLine } from '../../platform/store/ledger/ledger-line.ts'
import { storedIds } from '../../platform/store/ledger/stored-ids.ts'
import { foreseenFrom, type ForeseenLine, lineAt } from './foreseen-line.ts'
import type { SealedFile } from './journal-segment.ts'

/**
 * The calls that a dead process left in flight (in-flight.ts), as a file of the journal with their lines. A call whose own line is
 * in the journal or in the store ended before its process did: that line counts.
 */
export class InterruptedCalls implements SealedFile {
  readonly #paths: readonly string[]
  readonly #journal: readonly SealedFile[]
  readonly bytes: number
  readonly appended = 0
  readonly linesInMemory = undefined

  /** The files of the process, oldest first, and those of its journal. */
  constructor(paths: readonly string[], bytes: number, journal: readonly SealedFile[]) {
    this.#paths = paths
    this.bytes = bytes
    this.#journal = journal
  }

  get path(): string {
    return this.#paths.at(-1)!
  }

  async read(db: Database): Promise<{ lines: LedgerLine[]; damaged: number }> {
    const { lines, damaged } = await this.#readAll()
    const recorded = await this.#idsInJournal(db)
    for (const id of await storedIds(
      db,
      lines.map(({ id }) => id),
    ))
      recorded.add(id)
    return { lines: lines.filter(({ id }) => !recorded.has(id)), damaged }
  }

  remove(): void {
    for (const path of this.#paths) rmSync(path, { force: true })
  }

  async #readAll(): Promise<{ lines: LedgerLine[]; damaged: number }> {
    const found: Found = { open: new Map(), aliveAt: 0, damaged: 0 }
    for (const path of this.#paths)
      for (const text of (await readFile(path, 'utf8')).split('\n')) if (text !== '') note(text, found)
    const lines = [...found.open.values()].map((foreseen) => lineAt(foreseen, found.aliveAt))
    return { lines, damaged: found.damaged }
  }

  /** What the store has taken of the journal since then is in the store. */
  async #idsInJournal(db: Database): Promise<Set<string>> {
    const ids = new Set<string>()
    for (const file of this.#journal) for (const { id } of (await file.read(db).catch(emptyIfGone)).lines) ids.add(id)
    return ids
  }
}

function emptyIfGone(error: unknown): { lines: LedgerLine[] } {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { lines: [] }
  throw error
}

type Found = { open: Map<string, ForeseenLine>; aliveAt: number; damaged: number }

/** What was cut off when the process was killed is only counted. */
function note(text: string, found: Found): void {
  const value = parsed(text)
  if (typeof value === 'number') found.aliveAt = Math.max(found.aliveAt, value)
  else if (typeof value === 'string') found.open.delete(value)
  else {
    const foreseen = Array.isArray(value) ? foreseenFrom(value) : undefined
    if (foreseen) found.open.set(foreseen.line.id, foreseen)
    else found.damaged++
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
