import { withoutDashes } from '../../base/schema/resource-id.ts'
import { DAY_MS } from '../../base/units/units.ts'
import { isFailure, toProblem } from '../../calls/attempts/failures.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import type { ClaimedBatch } from '../../platform/store/batches/batch-runs.ts'
import {
  endProviderBatch,
  listProviderBatches,
  noteProviderBatch,
  type ProviderBatch,
  type ProviderBatchState,
  type RestOfLines,
} from '../../platform/store/batches/provider-batches.ts'
import { NoBatch } from '../../translation/batches/batch-wire.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { AnswerWriter } from './answer-writer.ts'
import type { Lines } from './ask-line.ts'
import { openBatchApi, type OpenedApi } from './batch-api.ts'
import type { BatchRequest } from './batch-request.ts'
import type { Pace } from './pace.ts'

/** The part of the time that is left to the gateway for what providers have not answered by then. */
const LAST_PART = 1 / 6
/** A provider that says nothing about a batch for this long after its time has lost it. */
const LOST_AFTER_MS = DAY_MS

export type ProviderNeeds = {
  services(): Pick<
    CallServices,
    | 'files'
    | 'db'
    | 'now'
    | 'monotonic'
    | 'newId'
    | 'config'
    | 'send'
    | 'accessTokens'
    | 'timeouts'
    | 'spendLimits'
    | 'guardrails'
    | 'ledger'
  >
  lines: Lines
  pace: Pace
  log: { info(about: object, text: string): void; warn(about: object, text: string): void }
  timing: { lookMs: number; maxLookMs: number; leastLookMs: number; garbledMs: number }
}

/** Raised when nothing more is to be begun (`ending`), and when what runs is to be given up (`abort`). */
type Signals = { ending: AbortSignal; abort: AbortSignal }

/**
 * A turn at a batch whose lines providers answer in batches of their own: what handing over, watching and taking results have in common.
 * What a provider is asked for is noted before it is asked, with our id of its batch: a process that dies leaves nothing that the next one
 * does not find again, and so nothing is ordered twice.
 */
export class ProviderTurn {
  readonly batch: ClaimedBatch
  readonly request: BatchRequest
  readonly needs: ProviderNeeds
  readonly signals: Signals
  readonly writer: AnswerWriter

  constructor(batch: ClaimedBatch, needs: ProviderNeeds, signals: Signals) {
    const { db, monotonic } = needs.services()
    this.batch = batch
    this.request = JSON.parse(batch.request) as BatchRequest
    this.needs = needs
    this.signals = signals
    this.writer = new AnswerWriter(batch, { db, monotonic })
  }

  list(): Promise<ProviderBatch[]> {
    return listProviderBatches(this.needs.services().db, this.batch.id)
  }

  open(row: Pick<ProviderBatch, 'provider' | 'credential' | 'credentialName'>): OpenedApi | undefined {
    return openBatchApi(row, this.needs.services(), this.signals.abort)
  }

  /** Returns whether the batch still belongs to this turn. */
  async note(
    row: Pick<ProviderBatch, 'id'>,
    state: ProviderBatchState,
    providerId: string | null,
    waitMs = this.needs.timing.lookMs,
  ): Promise<boolean> {
    return await noteProviderBatch(this.needs.services().db, this.batch, row, { state, providerId, waitMs })
  }

  /** What it held of limits is free again as soon as the ledger has its lines. */
  async end(row: Pick<ProviderBatch, 'id'>, rest: RestOfLines): Promise<void> {
    const { db, ledger, spendLimits } = this.needs.services()
    await ledger.flush()
    await spendLimits.release(row.id)
    await endProviderBatch(db, this.batch, row, rest)
  }

  /** Why a provider has not answered, as callers are told it: without what belongs to the operator. */
  reasonOf(error: unknown, { provider: id }: Pick<ProviderBatch, 'provider'>): string {
    const provider = this.needs.services().config.providers[id]
    if (error instanceof NoBatch) return 'it answered with something that is no batch.'
    if (!provider || !isFailure(error)) return 'it is not configured as it was'
    // Lines that a guardrail may have to change are not handed over.
    return toProblem(error, { id: provider.name, provider }, []).message
  }

  /** The name of a line at the provider. */
  itemId(number: number | ''): string {
    return `${withoutDashes(this.batch.id)}_${number}`
  }

  /** What is left of the time is the gateway's. */
  get isLate(): boolean {
    return this.lateInMs <= 0
  }

  /** In how many milliseconds that is. */
  get lateInMs(): number {
    const { deadlineAt, steadyAt, windowMs } = this.batch
    return this.request.execution === 'auto' ? deadlineAt - steadyAt - windowMs * LAST_PART : Number.POSITIVE_INFINITY
  }

  get isOver(): boolean {
    return this.batch.deadlineAt <= this.batch.steadyAt
  }

  get isLost(): boolean {
    return this.batch.steadyAt - this.batch.deadlineAt > LOST_AFTER_MS
  }
}

/** Says why a provider with lines is not asked any more. */
export const REMOVED = new UpstreamProblem('auth', 'its key is not configured any more', { status: 401 })
