import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Journal, type JournalOptions } from '../../src/money/billing/journal.ts'
import { Ledger, type LedgerOptions } from '../../src/money/billing/ledger.ts'
import type { Database } from '../../src/platform/store/database.ts'
import { eventLog } from './event-log.ts'

type Settings = Partial<Omit<JournalOptions, 'log'>>
type LedgerSettings = Settings & Pick<LedgerOptions, 'maxUnsavedLines'>

/** A folder for journals, and ledgers that write to it as processes do, each with a journal of its own. */
export function temporaryJournal(closing: AsyncDisposableStack) {
  const folder = join(mkdtempSync(join(tmpdir(), 'gatehouse-journal-')), 'ledger')
  closing.defer(() => rmSync(join(folder, '..'), { recursive: true }))
  const log = eventLog()
  return { folder, log, open, openLedger }

  function open(settings: Settings = {}): Journal {
    return new Journal({ folder, id: randomUUID(), maxBytes: 1e9, log, ...settings })
  }

  function openLedger(db: Database, settings: LedgerSettings = {}): { ledger: Ledger; journal: Journal } {
    const { maxUnsavedLines, ...ofJournal } = settings
    const journal = open(ofJournal)
    return { journal, ledger: new Ledger({ db, journal, log, ...(maxUnsavedLines && { maxUnsavedLines }) }) }
  }
}
