import type { Call } from '../../calls/call.ts'
import { keepGuarded } from '../../calls/content-draft.ts'
import { guardsOf, namesIn } from '../../calls/guardrails/guarded-body.ts'
import type { Guards } from '../../calls/guardrails/guards.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import type { ChatRequest } from '../../contract/chat.ts'
import { isRecord } from '../../base/schema/record.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { writeJson } from '../../translation/json/written-numbers.ts'
import { Placeholders } from '../../translation/hooks/pii/placeholders.ts'

/**
 * The arguments of a call that the caller has approved, as they may go to its tool. They are words of the request, of which no model has
 * been asked yet, so guardrails look at them as they do at a request, and at what a model makes of it. Throws if they are blocked.
 */
export async function approvedArguments(
  json: string,
  request: ChatRequest,
  call: Call,
  services: CallServices,
): Promise<string> {
  const placeholders = new Placeholders()
  const guards = guardsOf(call, () => namesIn(request, services), services, { placeholders })
  const input = tryParse(json)
  if (!guards || !isRecord(input)) return json
  const { content } = call.record
  const left = await keepGuarded(
    content,
    () => passed(input, guards),
    () => undefined,
  )
  return placeholders.restore(writeJson(left))
}

async function passed(input: object, guards: Guards): Promise<object> {
  return await guards.json(await guards.json(input, 'input'), 'tool_arguments')
}
