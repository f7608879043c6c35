import type { Model } from '../../platform/catalog/catalog.ts'
import { problem } from '../../contract/problems.ts'
import type { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { readRetryAfter } from '../../translation/wire/retry-after.ts'
import type { WireRequest, WireResponse } from '../../translation/wire/wire.ts'
import type { Note } from '../../translation/dialects/chat-codec.ts'
import { DIALECTS } from '../../translation/dialects/index.ts'
import type { Tools } from '../../translation/tasks/feature.ts'
import { readText } from '../../platform/net/read-text.ts'
import { inOneOrder } from '../attempts/attempt.ts'
import type { CallPlan, Ending } from '../attempts/plan.ts'
import type { Bill, Order, OrderDetails } from '../order.ts'
import { authorize } from './authorize.ts'
import type { Call } from '../call.ts'
import type { CallServices } from '../services/call-services.ts'
import { readAnswer } from './read-answer.ts'
import type { ChatAttempt, ChatTarget } from '../routing/chat-targets.ts'
import { type Served, targetsOfKind, type TargetServices } from '../routing/targets-of-kind.ts'
import { toolsFor } from './task-tools.ts'
import { MAX_ERROR_BYTES } from '../../translation/wire/upstream-problem.ts'

// What the endpoints other than chat have in common: targets of one kind, attempts, and a sandbox that calls no provider.

export type Endpoint<Reply, Answer> = Served &
  Pick<CallPlan<ChatTarget, CallServices, Reply, Answer>, 'worstCase' | 'ask' | 'endsItself'> & {
    model: string
    fallbacks?: readonly string[] | null | undefined
    isCustomized?(): boolean
    /** Whether this endpoint supports the target's dialect. If not, the call is refused before any target is asked. */
    speaks(target: ChatTarget): boolean
    /** The caller's fields that the target which answered was not told. */
    notesFor?(target: ChatTarget): readonly Note[]
    present(answered: TargetReply<Reply>, ending: Ending): Answer | Promise<Answer>
  }

/** How to reach one target with one credential. */
export type Exchange = {
  /** Throws a problem for error statuses. Ends when the call ends or the signal is raised. */
  send(
    wire: WireRequest,
    problemOf?: (status: number, text: string) => UpstreamProblem,
    signal?: AbortSignal,
  ): Promise<WireResponse>
  /** Reads the whole answer as text. */
  read(response: WireResponse, limitBytes: number): Promise<string>
  /** For task adapters. */
  tools: Tools
}

export type TargetReply<Reply> = { target: ChatTarget; reply: Reply }

/** The plan of a call to such an endpoint. */
export function planOf<Reply, Answer>(
  endpoint: Endpoint<Reply, Answer>,
  call: Call,
  services: TargetServices,
): CallPlan<ChatTarget, CallServices, Reply, Answer> {
  const { model, fallbacks, isCustomized = notCustomized, present, endsItself } = endpoint
  const { kinds, endpoint: name } = endpoint
  const check = (target: ChatTarget) => {
    endpoint.check?.(target)
    if (!target.provider.simulated && !endpoint.speaks(target)) throw otherWire(target, endpoint)
  }
  const asking = { caller: call.caller, note: (note: Note) => call.record.noteRequest([note]) }
  const targets = targetsOfKind([model, ...(fallbacks ?? [])], { kinds, endpoint: name, check }, asking, services)
  call.time.limit(targets[0]!.timeouts.totalMs)
  return {
    targets: call.caller.kind === 'sandbox' ? targets.map((target) => inSandbox(target, services)) : targets,
    worstCase: endpoint.worstCase,
    isCustomized,
    ask: endpoint.ask,
    endsItself,
    present: ({ attempt: { target }, reply }, ending) => {
      call.record.noteFirst([...(target.note ? [target.note] : []), ...(endpoint.notesFor?.(target) ?? [])])
      return present({ target, reply }, ending)
    },
  }
}

const notCustomized = () => false

/** One request to a target, or its simulation for a sandbox key. */
type OneRequest<Reply> = Pick<OrderDetails, 'likelyBill' | 'billMoments'> & {
  ask(exchange: Exchange): Promise<Reply>
  simulate(): Reply | Promise<Reply>
  billOf(reply: Reply): Bill
}

/** Asks a target with one request, and pays for it. */
export function askOnce<Reply>(attempt: ChatAttempt, request: OneRequest<Reply>): Promise<Reply> {
  return inOneOrder(attempt, {
    likelyBill: request.likelyBill,
    billMoments: request.billMoments,
    ask: async (order) => await askOrSimulate(attempt, order, request),
    billOf: (reply) => ({ ...request.billOf(reply), priceVersion: priceVersionOf(attempt.target) }),
  })
}

export function askOrSimulate<Reply>(
  attempt: ChatAttempt,
  order: Order,
  { ask, simulate }: Pick<OneRequest<Reply>, 'ask' | 'simulate'>,
): Reply | Promise<Reply> {
  return attempt.target.provider.simulated ? simulate() : ask(exchangeWith(attempt, order))
}

export function priceVersionOf({ entry }: ChatTarget): string | null {
  return entry?.checked ?? null
}

export function exchangeWith({ target, credential, call, services }: ChatAttempt, { report }: Order): Exchange {
  return {
    tools: toolsFor(target, { credential, report, call, services }),
    read: (response, limitBytes) => readAnswer(response, limitBytes, call, services),
    send: async (wire, problemOf = DIALECTS.openai.chat.problem, signal) => {
      const signed = await authorize(wire, target.provider, credential, services)
      const either = signal ? AbortSignal.any([call.signal, signal]) : call.signal
      const { owner } = call.caller
      const options = { signal: either, timeouts: target.timeouts, owner, report }
      const response = await services.send(signed, options)
      if (response.status >= 200 && response.status < 300) return response
      const failure = problemOf(response.status, await readText(response.body, MAX_ERROR_BYTES).catch(() => ''))
      failure.retryAfterSeconds ??= readRetryAfter(response, services.now())
      throw failure
    },
  }
}

/** A sandbox key never reaches a provider, whatever model it names, and pays nothing. */
function inSandbox(target: ChatTarget, { config }: Pick<CallServices, 'config'>): ChatTarget {
  const entry = target.entry && ({ ...target.entry, price: FREE, per: undefined } as Model)
  return { ...target, provider: config.providers.sandbox!, entry }
}

const FREE = { input: 0, output: 0 }

function otherWire({ provider, id }: ChatTarget, { endpoint }: Pick<Served, 'endpoint'>) {
  const message = `${provider.name} serves '${id}' in its own format, which the ${endpoint} endpoint does not support.`
  return problem('unsupported_endpoint', { message, param: 'model' })
}
