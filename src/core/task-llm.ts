import type { ChatRequest } from '../contract/chat.ts'
import type { ChatCompletion } from '../contract/chat-reply.ts'
import type { Feature, Result, Task } from '../features/feature.ts'
import { runLlmTask } from '../features/llm/run-llm-task.ts'
import { askWhole } from './ask.ts'
import { type Call, newCall } from './call.ts'
import type { Outside } from './outside.ts'
import { route } from './route.ts'
import { charsOfMessage, settle } from './settle.ts'

/** A task done by a chat model. Its tokens and cost are added to the call; an unknown price makes the whole cost unknown. */
export async function askForTask(
  feature: Feature,
  task: Task<unknown>,
  chatModel: string,
  call: Call,
  outside: Outside,
): Promise<Result<unknown>> {
  const costs: (number | null)[] = []
  const result = await runLlmTask(feature, task, chatModel, async (request) => {
    const { completion, cost } = await ask(request, call, outside)
    costs.push(cost)
    return completion
  })
  call.cost = costs.reduce((sum: number | null, cost) => (sum === null || cost === null ? null : sum + cost), 0)
  return result
}

async function ask(
  request: ChatRequest,
  call: Call,
  outside: Outside,
): Promise<{ completion: ChatCompletion; cost: number | null }> {
  const [target] = route(request, call.caller, outside)
  const inner = newCall({ ...call })
  const completion = await askWhole(target!, { request }, inner, outside)
  const chars = completion.choices.reduce((sum, { message }) => sum + charsOfMessage(message), 0)
  settle(inner, target!, request, { usage: completion.usage, serviceTier: completion.service_tier, chars })
  call.tokens = inner.tokens
  call.estimated ||= inner.estimated
  return { completion, cost: inner.estimated ? null : inner.cost }
}
