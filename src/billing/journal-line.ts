import type { LedgerLine } from '../store/ledger/ledger-line.ts'

// A line of the journal is a JSON list of values without their names, which takes half of the time and of the bytes. A new
// field goes to the end of both lists, so that the journal of an older version can still be read.

const FIELDS = [
  'id',
  'at',
  'keyId',
  'owner',
  'endpoint',
  'model',
  'provider',
  'status',
  'code',
  'stream',
  'attempts',
  'promptTokens',
  'cachedTokens',
  'cacheWriteTokens',
  'completionTokens',
  'reasoningTokens',
  'cost',
  'estimated',
  'durationMs',
  'firstTokenMs',
  'moreTokens',
  'priceVersion',
  'providerCost',
  'organization',
  'project',
  'user',
  'endUser',
  'tags',
  'requestedModel',
  'detail',
  'charges',
] as const satisfies readonly (keyof LedgerLine)[]

/** Every call writes a line, so the values are listed by hand: collecting them by name takes three times as long. */
export function toLine(row: LedgerLine): string {
  const values = [
    row.id,
    row.at,
    row.keyId,
    row.owner,
    row.endpoint,
    row.model,
    row.provider,
    row.status,
    row.code,
    row.stream,
    row.attempts,
    row.promptTokens,
    row.cachedTokens,
    row.cacheWriteTokens,
    row.completionTokens,
    row.reasoningTokens,
    row.cost,
    row.estimated,
    row.durationMs,
    row.firstTokenMs,
    row.moreTokens,
    row.priceVersion,
    row.providerCost,
    row.organization,
    row.project,
    row.user,
    row.endUser,
    row.tags,
    row.requestedModel,
    row.detail,
    row.charges ?? null,
  ]
  return `${JSON.stringify(values)}\n`
}

const TEXTS = ['id', 'keyId', 'owner', 'endpoint', 'model', 'provider'] as const

/** Undefined for a line that was cut off or damaged: what the store would refuse must not hold up the other lines. */
export function readLine(line: string): LedgerLine | undefined {
  try {
    const values = JSON.parse(line) as unknown[]
    const row = Object.fromEntries(FIELDS.map((name, index) => [name, values[index] ?? null])) as LedgerLine
    return TEXTS.every((name) => typeof row[name] === 'string') && Number.isFinite(row.at) ? row : undefined
  } catch {
    return undefined
  }
}
