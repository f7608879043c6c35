import type { ChatRequest } from '../contract/chat.ts'
import type { ChatCompletion } from '../contract/chat-reply.ts'
import type { Feature, Result, Task } from '../features/feature.ts'
import { runLlmTask } from '../features/llm/run-llm-task.ts'
import { askWhole } from './ask.ts'
import type { Chance } from './attempt.ts'
import { type Call, newCall } from './call.ts'
import type { Outside } from './outside.ts'
import type { ChatTarget } from './route.ts'
import { charsOfMessage, settle } from './settle.ts'
import { spend } from './task-spending.ts'

/** A task done by a chat model. What it is asked twice for is paid twice, also when it fails in the end. */
export function askForTask(
  feature: Feature,
  task: Task<unknown>,
  target: ChatTarget,
  chance: Chance,
  call: Call,
  outside: Outside,
): Promise<Result<unknown>> {
  return runLlmTask(feature, task, target.id, (request) => ask(target, chance, request, call, outside))
}

async function ask(
  target: ChatTarget,
  chance: Chance,
  request: ChatRequest,
  call: Call,
  outside: Outside,
): Promise<ChatCompletion> {
  const inner = newCall({ ...call })
  const completion = await askWhole(target, chance, { request }, inner, outside)
  const chars = completion.choices.reduce((sum, { message }) => sum + charsOfMessage(message), 0)
  settle(inner, target, request, { usage: completion.usage, serviceTier: completion.service_tier, chars })
  spend(call, inner.estimated ? null : inner.cost, inner.tokens)
  call.estimated ||= inner.estimated
  return completion
}
