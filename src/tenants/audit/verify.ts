import { hash } from 'node:crypto'
import { NO_HASH } from '../../platform/store/audit/append.ts'
import { type Checkpoint, checkpointsFrom } from '../../platform/store/audit/checkpoints.ts'
import { type AuditRow, auditPages } from '../../platform/store/audit/read.ts'
import type { Database } from '../../platform/store/database.ts'
import { textOfRow } from './audit-text.ts'

/** What is wrong with the log, at which row. */
type AuditFault = { seq: number; fault: string }

type Verdict = { rows: number; checkpoints: number; faults: AuditFault[] }

/** Whether the signature of a checkpoint is right; undefined if it was made by a key that is not known here. */
export type CheckSignature = (checkpoint: Checkpoint) => boolean | undefined

const MAX_FAULTS = 100
const MAX_CHECKPOINTS = 1_000_000
const PAGE = 1_000

/**
 * Reads the whole log and finds rows that were changed, inserted, removed or put in another order. That the end was cut off, or
 * that everything was written anew, only a checkpoint shows: those of the store, and `further` ones from elsewhere.
 */
export async function verifyAudit(
  db: Database,
  check: CheckSignature,
  further: readonly Checkpoint[] = [],
): Promise<Verdict> {
  const anchors = new Anchors(await storedCheckpoints(db), further, check)
  let last = { seq: 0, hash: NO_HASH }
  let rows = 0
  const faults = anchors.faults()
  for await (const page of auditPages(db)) {
    for (const row of page) {
      if (faults.length < MAX_FAULTS) faults.push(...faultsOf(row, last), ...anchors.faultsAt(row))
      last = row
      rows++
    }
  }
  faults.push(...anchors.faultsAfter(last.seq))
  return { rows, checkpoints: anchors.count, faults: faults.slice(0, MAX_FAULTS) }
}

function faultsOf(row: AuditRow, last: { seq: number; hash: string }): AuditFault[] {
  const { seq } = row
  const found: string[] = []
  if (seq !== last.seq + 1) found.push(`rows ${last.seq + 1} to ${seq - 1} are missing`)
  if (row.prev !== last.hash) found.push('it does not follow the row before it: rows were inserted, removed or moved')
  if (hashOf(row) !== row.hash) found.push('its content is not what was written')
  return found.map((fault) => ({ seq, fault }))
}

/** A value that is no longer JSON was not written by this program. */
function hashOf(row: AuditRow): string | undefined {
  try {
    return hash('sha256', row.prev + textOfRow(row))
  } catch {
    return undefined
  }
}

class Anchors {
  readonly #all: readonly Checkpoint[]
  readonly #bySeq: ReadonlyMap<number, Checkpoint[]>
  readonly #check: CheckSignature

  constructor(stored: readonly Checkpoint[], further: readonly Checkpoint[], check: CheckSignature) {
    this.#all = [...stored, ...further]
    this.#bySeq = Map.groupBy(this.#all, ({ seq }) => seq)
    this.#check = check
  }

  get count(): number {
    return this.#all.length
  }

  /** Checkpoints that are not ours. */
  faults(): AuditFault[] {
    return this.#all.flatMap((checkpoint) => {
      const isRight = this.#check(checkpoint)
      if (isRight) return []
      const fault = isRight === false ? 'has a wrong signature' : 'was signed with a key that is not known here'
      return [{ seq: checkpoint.seq, fault: `the checkpoint of this row ${fault}` }]
    })
  }

  faultsAt({ seq, hash: own }: AuditRow): AuditFault[] {
    const others = (this.#bySeq.get(seq) ?? []).filter((checkpoint) => checkpoint.hash !== own)
    return others.map(() => ({ seq, fault: 'its hash differs from its checkpoint: the log was rewritten' }))
  }

  faultsAfter(last: number): AuditFault[] {
    const newest = Math.max(0, ...this.#bySeq.keys())
    if (newest <= last) return []
    return [{ seq: newest, fault: `a checkpoint has this row, but the log ends with row ${last}: its end was cut off` }]
  }
}

async function storedCheckpoints(db: Database): Promise<Checkpoint[]> {
  const all: Checkpoint[] = []
  for (let next = 0; all.length < MAX_CHECKPOINTS; ) {
    const page = await checkpointsFrom(db, next, PAGE)
    all.push(...page)
    if (page.length < PAGE) break
    next = page.at(-1)!.seq + 1
  }
  return all
}
