import { NO_LABELS } from '../calls/labels.ts'
import type { Problem } from '../contract/problems.ts'
import type { ClaimedJob } from '../store/job-runs.ts'
import { RESPONSES } from '../store/jobs.ts'
import type { LedgerLine } from '../store/ledger/ledger-line.ts'
import type { JobRequest } from './open-request.ts'

type JobInLedger = Pick<ClaimedJob, 'id' | 'owner' | 'keyId' | 'feature' | 'subfeature' | 'provider' | 'model'> & {
  request?: unknown
}

export type JobEnd = { at: number; startedAt: number; reason: Problem | null }

/**
 * The ledger line of a job when nobody knows what its execution did: it died with its process, or ended before it began.
 * What it may have cost is unknown, which is not the same as nothing.
 */
export function lineOfJob(job: JobInLedger, { at, startedAt, reason }: JobEnd): LedgerLine {
  const { id, owner, keyId, feature, subfeature, provider, model } = job
  const isResponse = feature === RESPONSES
  const task = [feature, subfeature, provider, ...(model === null ? [] : [model])].join('/')
  return {
    ...{ id, at, keyId, owner, endpoint: isResponse ? 'chat' : 'universal', provider },
    model: isResponse ? (model ?? '') : task,
    status: reason?.status ?? 200,
    code: reason?.code ?? null,
    ...{ stream: false, attempts: 0, estimated: true, cost: null, providerCost: null, priceVersion: null },
    ...{ promptTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, completionTokens: 0, reasoningTokens: 0 },
    ...{ durationMs: Math.max(0, at - startedAt), firstTokenMs: null, moreTokens: null, detail: null },
    ...placeOf(job.request),
  }
}

/** A large request is not loaded just for its line, and jobs of older versions do not have everything. */
function placeOf(request: unknown): Pick<LedgerLine, PlaceNames> {
  const { caller, labels = NO_LABELS } = (request ?? {}) as Partial<JobRequest>
  const { organization = null, project = null, user = null } = caller ?? {}
  return { organization, project, user, ...labels }
}

type PlaceNames = 'organization' | 'project' | 'user' | 'endUser' | 'tags' | 'requestedModel'

/** True unless the line says that nothing was spent. */
export function hasSpent({ cost, promptTokens, completionTokens }: LedgerLine): boolean {
  return cost !== 0 || promptTokens + completionTokens > 0
}
