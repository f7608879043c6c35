import type { Model } from '../catalog/catalog.ts'
import { problem } from '../contract/problems.ts'
import type { UpstreamProblem } from '../wire/upstream-problem.ts'
import { readRetryAfter } from '../wire/retry-after.ts'
import type { WireRequest, WireResponse } from '../wire/wire.ts'
import { DIALECTS } from '../dialects/index.ts'
import type { Tools } from '../tasks/feature.ts'
import { readText } from '../net/read-text.ts'
import { tryTargets } from '../attempts/try-targets.ts'
import { authorize } from './authorize.ts'
import { type Call, limitCall } from '../calls/call.ts'
import type { AppContext } from '../app/context.ts'
import { readAnswer } from './read-answer.ts'
import type { ChatAttempt, ChatTarget } from '../routing/route.ts'
import { type Served, targetsOfKind } from '../routing/targets-of-kind.ts'
import { toolsFor } from './task-tools.ts'
import { MAX_ERROR_BYTES } from '../wire/upstream-problem.ts'

// What the endpoints other than chat have in common: targets of one kind, attempts, and a sandbox that calls no provider.

export type ForwardedRequest<Reply> = Served & {
  model: string
  fallbacks?: readonly string[] | null | undefined
  /** Whether this endpoint supports the target's dialect. If not, the call is refused before any target is asked. */
  speaks(target: ChatTarget): boolean
  /** Asks one target, once. Throws a failure of the target, or a problem with the request. */
  ask(target: ChatTarget, exchange: Exchange): Promise<Reply>
  /** The answer for sandbox keys. */
  simulate(): Reply | Promise<Reply>
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

export async function forward<Reply>(
  request: ForwardedRequest<Reply>,
  call: Call,
  context: AppContext,
): Promise<TargetReply<Reply>> {
  const { model, fallbacks } = request
  const targets = targetsOfKind([model, ...(fallbacks ?? [])], request, call, context)
  for (const target of targets)
    if (!target.provider.simulated && !request.speaks(target)) throw otherWire(target, request)
  limitCall(call, targets[0]!.timeouts.totalMs)
  const requests = call.caller.kind === 'sandbox' ? targets.map((target) => inSandbox(target, context)) : targets
  const { attempt, reply } = await tryTargets(requests, { call, context }, async (attempt) => {
    if (attempt.target.provider.simulated) return await request.simulate()
    return await request.ask(attempt.target, exchangeWith(attempt))
  })
  const { target } = attempt
  call.priceVersion = target.entry?.checked ?? null
  if (target.note) call.notes = [target.note, ...call.notes]
  return { target, reply }
}

export function exchangeWith({ target, credential, call, context }: ChatAttempt): Exchange {
  return {
    tools: toolsFor(target, credential, call, context),
    read: (response, limitBytes) => readAnswer(response, limitBytes, call, context),
    send: async (wire, problemOf = DIALECTS.openai.chat.problem, signal) => {
      const signed = await authorize(wire, target.provider, credential, context)
      const either = signal ? AbortSignal.any([call.signal, signal]) : call.signal
      const { owner } = call.caller
      const options = { signal: either, timeouts: target.timeouts, owner, trace: call.wire }
      const response = await context.send(signed, options)
      if (response.status >= 200 && response.status < 300) return response
      const failure = problemOf(response.status, await readText(response.body, MAX_ERROR_BYTES).catch(() => ''))
      failure.retryAfterSeconds ??= readRetryAfter(response, context.now())
      throw failure
    },
  }
}

/** A sandbox key never reaches a provider, whatever model it names, and pays nothing. */
function inSandbox(target: ChatTarget, { config }: AppContext): ChatTarget {
  const entry = target.entry && ({ ...target.entry, price: FREE, per: undefined } as Model)
  return { ...target, provider: config.providers.sandbox!, entry }
}

const FREE = { input: 0, output: 0 }

function otherWire({ provider, id }: ChatTarget, { endpoint }: Served) {
  const message = `${provider.name} serves '${id}' in a format of its own, which the ${endpoint} endpoint does not support.`
  return problem('unsupported_endpoint', { message, param: 'model' })
}
