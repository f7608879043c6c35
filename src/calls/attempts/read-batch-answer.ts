import { atBatchPrice } from '../../money/billing/batch-price.ts'
import { problem } from '../../contract/problems.ts'
import type { Catalog, Model } from '../../platform/catalog/catalog.ts'
import type { BatchApi } from '../../platform/providers/provider.ts'
import type { Send } from '../../translation/wire/wire.ts'
import type { BatchAnswer, ProviderAnswer } from '../batch-answer.ts'
import type { Call } from '../call.ts'
import { beginAttempt, noteAttempt } from './begin-attempt.ts'
import { credentialsOf } from './credentials.ts'
import { type AttemptTarget, isFailure, reasonOf, toProblem } from './failures.ts'
import type { Answered, AskPlan, PlanServices } from './plan.ts'

type Reading<Services> = { call: Call; services: Services }

/**
 * The attempt of a call that the provider has answered in a batch of its own: everything is as in a real attempt, but nothing is sent, the
 * price is that of batches, and what was reserved for the batch pays.
 */
export async function readBatchAnswer<Target extends AttemptTarget, Services extends PlanServices, Reply>(
  plan: AskPlan<Target, Services, Reply>,
  batchAnswer: BatchAnswer,
  { call, services }: Reading<Services>,
): Promise<Answered<Target, Services, Reply>> {
  const { answer } = batchAnswer
  const found = plan.targets.find(({ id }) => id === answer.model)
  if (!found) throw problem('internal_error', { message: GONE })
  const target = atPriceOf(found)
  await plan.ready?.(target)
  services.spendLimits.payFrom(answer.hold, { call: { ...call, labels: call.record.labels }, target })
  const [credential] = credentialsOf(target)
  const requester = { caller: call.caller, isCustomized: plan.isCustomized }
  const { catalog } = services
  const reading = { ...services, send: sendOnce(answer), ...(catalog && { catalog: atPricesOf(catalog, target) }) }
  const attempt = beginAttempt({ target, isLast: true, requester, call, services: reading }, credential!, undefined)
  // Its order is paid, or the provider has refused the request.
  batchAnswer.isRead()
  try {
    const reply = await plan.ask(attempt)
    noteAttempt(attempt, 'answered')
    return { attempt, reply, remaining: [] }
  } catch (error) {
    if (!isFailure(error)) throw error
    noteAttempt(attempt, error.kind, reasonOf(error, target))
    throw toProblem(error, target, call.record.reasonGuards)
  }
}

const GONE = 'The model that has answered this line is not configured any more, so its answer cannot be read.'

/** Answers the request that was sent in the batch. The report says that it was sent: a good answer has to be paid. */
function sendOnce({ status, body }: ProviderAnswer): Send {
  let isAnswered = false
  return async (_request, { report }) => {
    if (isAnswered) throw problem('internal_error', { message: 'A line of a batch has one request at its provider.' })
    isAnswered = true
    if (report) Object.assign(report, { status, isWritten: true })
    const bytes = new TextEncoder().encode(body)
    async function* pieces() {
      yield bytes
    }
    return { status, headers: { 'content-type': 'application/json' }, body: pieces() }
  }
}

type Priced = AttemptTarget & { entry?: Model | undefined }

function atPriceOf<Target extends AttemptTarget>(target: Target): Target {
  const { provider, entry } = target as Target & Priced
  return provider.batches && entry ? { ...target, entry: inBatch(entry, provider.batches) } : target
}

/** The answer may name another model of the same provider. */
function atPricesOf(catalog: Catalog, { provider: { id, batches } }: AttemptTarget): Catalog {
  if (!batches) return catalog
  return {
    ...catalog,
    find: (provider, name) => {
      const found = catalog.find(provider, name)
      return found && provider === id ? inBatch(found, batches) : found
    },
  }
}

function inBatch(entry: Model, api: BatchApi): Model {
  return atBatchPrice(entry, api) ?? entry
}
