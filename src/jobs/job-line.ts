import { type Labels, NO_LABELS } from '../calls/labels.ts'
import type { Problem } from '../contract/problems.ts'
import type { ClaimedJob } from '../platform/store/jobs/job-runs.ts'
import { RESPONSES } from '../platform/store/jobs/jobs.ts'
import type { LedgerLine } from '../platform/store/ledger/ledger-line.ts'
import type { Owner } from '../platform/store/owner.ts'
import type { JobRequest } from './open-request.ts'

type JobInLedger = Owner &
  Pick<ClaimedJob, 'id' | 'keyId' | 'feature' | 'subfeature' | 'provider' | 'model'> & { request?: unknown }

type JobEnd = { at: number; startedAt: number; reason: Problem | null }

/**
 * The ledger line of a job when it is unknown what its execution did: it died with its process, or ended before it began.
 * What it may have cost is unknown, which is not the same as nothing.
 */
export function lineWithoutCall(job: JobInLedger, { at, startedAt, reason }: JobEnd): LedgerLine {
  const { id, organization, project, ownerKind, ownerId, keyId, feature, subfeature, provider, model } = job
  const isResponse = feature === RESPONSES
  const task = [feature, subfeature, provider, ...(model === null ? [] : [model])].join('/')
  return {
    id,
    at,
    organization,
    project,
    ownerKind,
    ownerId,
    keyId,
    endpoint: isResponse ? 'chat' : 'universal',
    provider,
    model: isResponse ? (model ?? '') : task,
    status: reason?.status ?? 200,
    code: reason?.code ?? null,
    stream: false,
    attempts: 0,
    estimated: true,
    cost: null,
    providerCost: null,
    priceVersion: null,
    promptTokens: 0,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    completionTokens: 0,
    reasoningTokens: 0,
    durationMs: Math.max(0, at - startedAt),
    firstTokenMs: null,
    moreTokens: null,
    detail: null,
    guardrails: null,
    guardrailsPassed: null,
    ...labelsIn(job.request),
  }
}

/** A large request is not loaded just for its line. */
function labelsIn(request: unknown): Labels & Pick<LedgerLine, 'user'> {
  const { caller, labels = NO_LABELS } = (request ?? {}) as Partial<JobRequest>
  return { user: caller?.user ?? null, ...labels }
}

/** True unless the line says that nothing was spent. */
export function hasSpent({ cost, promptTokens, completionTokens }: LedgerLine): boolean {
  return cost !== 0 || promptTokens + completionTokens > 0
}
