import type { ChatRequest } from '../contract/chat.ts'
import type { ChatCompletion } from '../contract/chat-reply.ts'
import type { Feature, Result, Task } from '../tasks/feature.ts'
import { runLlmTask } from '../tasks/llm/run-llm-task.ts'
import { askWhole } from '../upstream/ask.ts'
import type { AttemptContext } from '../attempts/attempt.ts'
import { type Call, newInnerCall } from '../calls/call.ts'
import type { AppContext } from '../app/context.ts'
import type { ChatTarget } from '../routing/route.ts'
import { charsOfMessage, settle } from '../upstream/settle.ts'
import { spend } from '../calls/task-spending.ts'

/** A task done by a chat model. What it is asked twice for is paid twice, also when it fails in the end. */
export function askForTask(
  feature: Feature,
  task: Task<unknown>,
  target: ChatTarget,
  attemptContext: AttemptContext,
  call: Call,
  context: AppContext,
): Promise<Result<unknown>> {
  return runLlmTask(feature, task, target.id, (request) => ask(target, attemptContext, request, call, context))
}

async function ask(
  target: ChatTarget,
  attemptContext: AttemptContext,
  request: ChatRequest,
  call: Call,
  context: AppContext,
): Promise<ChatCompletion> {
  const inner = newInnerCall(call)
  const completion = await askWhole(target, attemptContext, { request }, inner, context)
  const chars = completion.choices.reduce((sum, { message }) => sum + charsOfMessage(message), 0)
  settle(inner, target, request, { usage: completion.usage, serviceTier: completion.service_tier, chars })
  spend(call, inner.estimated ? null : inner.cost, inner.tokens)
  call.estimated ||= inner.estimated
  return completion
}
