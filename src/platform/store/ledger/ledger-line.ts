import type { Value } from '../database.ts'
import type { Charge } from '../limits/charges.ts'
import type { OwnerKind } from '../owner.ts'
import { type StoredGuardrailRun, writeGuardrailRuns, writePassed } from './guardrail-runs.ts'
import { toNanos } from './money.ts'
import { type RequestDetail, writeDetail } from './request-detail.ts'

// A ledger line, and its columns in the table `usage`.

export type LedgerLine = {
  /** The request's id. */
  id: string
  at: number
  /** The organization and the project of that time. A line stays theirs. */
  organization: string
  project: string
  /** Whose content the call used. */
  ownerKind: OwnerKind
  ownerId: string
  keyId: string
  endpoint: string
  model: string
  provider: string
  status: number
  code: string | null
  stream: boolean
  attempts: number
  promptTokens: number
  cachedTokens: number
  cacheWriteTokens: number
  completionTokens: number
  reasoningTokens: number
  /** In dollars. The store keeps billionths of a dollar. */
  cost: number | null
  estimated: boolean
  durationMs: number
  firstTokenMs: number | null
  /** Buckets that most calls do not have (audio, images, one-hour cache), by name. Null if there are none. */
  moreTokens: Record<string, number> | null
  /** The day on which the prices were checked. Null if the cost is not from the catalog. */
  priceVersion: string | null
  /** The cost that the provider itself reported. */
  providerCost: number | null
  /** The person or service that the key belongs to, if it belongs to one. */
  user: string | null
  /** What the caller said about the call; see calls/labels.ts. */
  endUser: string | null
  tags: Readonly<Record<string, string>> | null
  requestedModel: string | null
  /** The program that sent it, the session and the agent inside of it; see calls/origin/. */
  session: string | null
  agent: string | null
  parentAgent: string | null
  client: string | null
  /** What the request log shows beside the line. */
  detail: RequestDetail | null
  /** What the line settles of budgets and rate limits; absent or null if there are none. */
  charges?: readonly Charge[] | null | undefined
  /** The batch that the call is a line of; absent or null if it is none. */
  batchId?: string | null | undefined
  /** What the provider sold it as, if not at the usual price: `batch`. */
  tier?: string | null | undefined
  /** What guardrails did, and those that found nothing. Null if there are none. */
  guardrails: readonly StoredGuardrailRun[] | null
  guardrailsPassed: readonly string[] | null
}

export const USAGE_COLUMNS = `id, at, organization, project, owner_kind, owner_id, key_id, endpoint, model, provider, status, code, stream, attempts, prompt_tokens,
  cached_tokens, cache_write_tokens, completion_tokens, reasoning_tokens, cost_nanos, estimated, duration_ms,
  first_token_ms, more_tokens, price_version, provider_cost_nanos, user_id, end_user, tags,
  rolled_labels, requested_model, session, agent, parent_agent, client, detail, charges, batch_id, tier,
  guardrails, guardrails_passed`
export const USAGE_COLUMN_NAMES = USAGE_COLUMNS.split(/,\s*/)
const TEXTS = new Set([
  ...['id', 'organization', 'project', 'owner_kind', 'owner_id', 'key_id', 'endpoint', 'model', 'provider', 'code'],
  ...['more_tokens', 'price_version', 'user_id', 'end_user', 'tags', 'rolled_labels'],
  ...['requested_model', 'session', 'agent', 'parent_agent', 'client', 'detail', 'charges', 'batch_id', 'tier'],
  ...['guardrails', 'guardrails_passed'],
])

/** A line with what it is counted as in the roll-ups of labels, and what it is charged to. */
export type CountedLine = { line: LedgerLine; rolled: Record<string, string> | null; charges: readonly Charge[] | null }

export function typeOf(column: string): string {
  return TEXTS.has(column) ? 'TEXT' : 'BIGINT'
}

/** In the order of the columns. */
export function appendUsage(values: Value[], { line, rolled, charges }: CountedLine) {
  values.push(
    line.id,
    storedAt(line),
    line.organization,
    line.project,
    line.ownerKind,
    line.ownerId,
    line.keyId,
    line.endpoint,
    line.model,
    line.provider,
    whole(line.status),
    line.code,
    line.stream ? 1 : 0,
    whole(line.attempts),
    whole(line.promptTokens),
    whole(line.cachedTokens),
    whole(line.cacheWriteTokens),
    whole(line.completionTokens),
    whole(line.reasoningTokens),
    toNanos(line.cost),
    line.estimated ? 1 : 0,
    whole(line.durationMs),
    line.firstTokenMs === null ? null : whole(line.firstTokenMs),
    line.moreTokens && JSON.stringify(line.moreTokens),
    line.priceVersion,
    toNanos(line.providerCost),
    line.user,
    line.endUser,
    line.tags && JSON.stringify(line.tags),
    rolled && JSON.stringify(rolled),
    line.requestedModel,
    line.session,
    line.agent,
    line.parentAgent,
    line.client,
    writeDetail(line.detail),
    charges && JSON.stringify(charges),
    line.batchId ?? null,
    line.tier ?? null,
    writeGuardrailRuns(line.guardrails),
    writePassed(line.guardrailsPassed),
  )
}

/** The time of a line as the store has it. */
export function storedAt({ at }: Pick<LedgerLine, 'at'>): number {
  return whole(at)
}

/** More than any call has. Millions of such figures can still be added up. */
const MAX_COUNT = 1e13

/** Some providers report odd token counts. A fraction or NaN must not keep a batch of lines out of the ledger forever. */
function whole(count: number): number {
  return Number.isFinite(count) ? Math.max(-MAX_COUNT, Math.min(Math.round(count), MAX_COUNT)) : 0
}
