import type { ChatRequest } from '../../contract/chat.ts'
import { tryTargets } from '../../calls/attempts/try-targets.ts'
import { type Call, partOf } from '../../calls/call.ts'
import { GuardFailure } from '../../calls/guardrails/guard-failure.ts'
import { type ChatAttempt, type ChatTarget, chatTargets } from '../../calls/routing/chat-targets.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { askWhole } from '../../calls/upstream/ask.ts'
import { chatWorstCase } from '../../calls/upstream/bounds/chat-worst-case.ts'
import { toNanosUp } from '../../money/limits/worst-case.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import type { GuardQuestion, ModelTools } from '../../translation/guardrails/check.ts'
import { UnreadableVerdict } from '../../translation/guardrails/reply-reader.ts'
import { doTask } from '../universal/do-task.ts'
import { prepareTask } from '../universal/prepare-task.ts'

/**
 * What checks of guardrails may ask of models. Everything is a part of the call that is checked: it pays, and has the ledger line. No
 * guardrail looks at what a check asks.
 */
export function modelToolsFor(call: Call, signal: AbortSignal, services: CallServices): ModelTools {
  const checked = { ...call, signal }
  const caller = callerOfGuardrail(call.caller)
  return {
    task: async (request, input) => {
      const part = partOf(checked, { isAside: true }, caller)
      const { result } = await doTask(await prepareTask({ ...request, input }, part, services), part, services)
      return result.output
    },
    chat: async (question) => await ask(question, partOf(checked, { isAside: true }, caller), services),
  }
}

async function ask(
  { model, messages, fields, maxCost }: GuardQuestion,
  part: Call,
  services: CallServices,
): Promise<string> {
  const request: ChatRequest = { ...fields, model, messages: messages.map((message) => ({ ...message })) }
  const asking = {
    caller: part.caller,
    isCustomized: () => false,
    note: () => {},
    affinity: undefined,
    routed: () => {},
  }
  const worstCase = chatWorstCase({ request })
  const targets = chatTargets(request, asking, services).filter((target) => isAffordable(target, worstCase, maxCost))
  if (targets.length === 0) throw new GuardFailure('failed', 'the question can cost more than the check may spend')
  const plan = {
    targets,
    worstCase,
    isCustomized: () => false,
    ask: (attempt: ChatAttempt) => askWhole(attempt, { request }),
  }
  const { reply } = await tryTargets(plan, part, services)
  const [choice] = reply.choices
  const text = choice?.finish_reason === 'stop' ? choice.message.content : undefined
  if (text) return text
  throw new UnreadableVerdict('the model has not finished its answer')
}

/** A cost that is not known may be any. */
function isAffordable(
  target: ChatTarget,
  worstCase: ReturnType<typeof chatWorstCase>,
  maxCost: number | undefined,
): boolean {
  if (maxCost === undefined) return true
  const { usd } = worstCase(target)
  return usd !== null && usd <= toNanosUp(maxCost)!
}

/** The holder of a key has not asked for the check, so its scopes say nothing about it. The data policy and the region hold. */
function callerOfGuardrail(caller: Caller): Caller {
  const { policy } = caller
  return { ...caller, scopes: null, policy: policy && { ...policy, models: [], endpoints: null } }
}
