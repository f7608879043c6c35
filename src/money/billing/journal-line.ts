import type { LedgerLine } from '../../platform/store/ledger/ledger-line.ts'

// A line of the journal is a ledger line as text: a JSON list of values without their names, which takes half of the time and
// of the bytes. What a release has left in its journal is read by the next one, so a new field goes to the end of both lists.

const FIELDS = [
  'id',
  'at',
  'organization',
  'project',
  'ownerKind',
  'ownerId',
  'keyId',
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
  'user',
  'endUser',
  'tags',
  'requestedModel',
  'detail',
  'charges',
  'session',
  'agent',
  'parentAgent',
  'client',
  'batchId',
  'tier',
  'guardrails',
  'guardrailsPassed',
] as const satisfies readonly (keyof LedgerLine)[]

export function encodeLine(line: LedgerLine): string {
  return `${JSON.stringify(valuesOf(line))}\n`
}

/** Every call writes a line, so the values are listed by hand: collecting them by name takes three times as long. */
export function valuesOf(line: LedgerLine): unknown[] {
  return [
    line.id,
    line.at,
    line.organization,
    line.project,
    line.ownerKind,
    line.ownerId,
    line.keyId,
    line.endpoint,
    line.model,
    line.provider,
    line.status,
    line.code,
    line.stream,
    line.attempts,
    line.promptTokens,
    line.cachedTokens,
    line.cacheWriteTokens,
    line.completionTokens,
    line.reasoningTokens,
    line.cost,
    line.estimated,
    line.durationMs,
    line.firstTokenMs,
    line.moreTokens,
    line.priceVersion,
    line.providerCost,
    line.user,
    line.endUser,
    line.tags,
    line.requestedModel,
    line.detail,
    line.charges ?? null,
    line.session,
    line.agent,
    line.parentAgent,
    line.client,
    line.batchId ?? null,
    line.tier ?? null,
    line.guardrails,
    line.guardrailsPassed,
  ]
}

const TEXTS = [
  ...(['id', 'organization', 'project', 'ownerKind', 'ownerId', 'keyId', 'endpoint', 'model', 'provider'] as const),
]

/** Undefined for a text that was cut off or damaged: what the store would refuse must not hold up the other lines. */
export function decodeLine(text: string): LedgerLine | undefined {
  try {
    return lineFrom(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** The line with these values; undefined if they are not those of a line. */
export function lineFrom(values: unknown): LedgerLine | undefined {
  if (!Array.isArray(values)) return undefined
  const line = Object.fromEntries(FIELDS.map((name, index) => [name, values[index] ?? null])) as LedgerLine
  return TEXTS.every((name) => typeof line[name] === 'string') && Number.isFinite(line.at) ? line : undefined
}
