import type { Database, Statement } from '../database.ts'
import { insertions } from './usage.ts'
import type { LedgerLine } from './ledger-line.ts'

/** A line that nothing is wrong with, with a charge, so that every table that lines are written to is needed. */
const SOUND_LINE: LedgerLine = {
  id: '',
  at: 0,
  organization: '',
  project: '',
  ownerKind: 'project',
  ownerId: '',
  keyId: '',
  endpoint: '',
  model: '',
  provider: '',
  status: 200,
  code: null,
  stream: false,
  attempts: 0,
  promptTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  cost: 0,
  estimated: false,
  durationMs: 0,
  firstTokenMs: null,
  moreTokens: null,
  priceVersion: null,
  providerCost: null,
  user: null,
  endUser: null,
  session: null,
  agent: null,
  parentAgent: null,
  client: null,
  tags: null,
  requestedModel: null,
  detail: null,
  guardrails: null,
  guardrailsPassed: null,
  charges: [['', '', 0, 1, '']],
}

/** Writes no row, and therefore ends its transaction without keeping anything of it. */
const UNDO: Statement = {
  sql: 'UPDATE limit_versions SET version = version WHERE version < 0 RETURNING version',
  required: true,
}

/** Whether the store takes a line that nothing is wrong with. Nothing of it is kept. */
export async function takesLines(db: Database): Promise<boolean> {
  try {
    await db.transaction([...insertions(db, [SOUND_LINE]), UNDO])
    return true
  } catch {
    return false
  }
}
