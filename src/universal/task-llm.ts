import type { ChatRequest } from '../contract/chat.ts'
import type { ChatCompletion } from '../contract/chat-reply.ts'
import type { Feature, Result, Task } from '../tasks/feature.ts'
import { runLlmTask } from '../tasks/llm/run-llm-task.ts'
import { askWhole } from '../upstream/ask.ts'
import type { AttemptContext } from '../attempts/attempt.ts'
import { type Call, newCall } from '../calls/call.ts'
import type { AppContext } from '../app/context.ts'
import type { ChatTarget } from '../routing/route.ts'
import { charsOfMessage, settle } from '../upstream/settle.ts'
import { spend } from '../calls/task-spending.ts'

/** One attempt at a task. */
export type TaskAttempt = { attemptContext: AttemptContext; call: Call; context: AppContext }

/** A chat model does the task. Every request to the model is billed, even if the task fails in the end. */
export function askForTask(
  feature: Feature,
  task: Task<unknown>,
  target: ChatTarget,
  attempt: TaskAttempt,
): Promise<Result<unknown>> {
  return runLlmTask(feature, task, target.id, (request) => ask(target, request, attempt))
}

async function ask(
  target: ChatTarget,
  request: ChatRequest,
  { attemptContext, call, context }: TaskAttempt,
): Promise<ChatCompletion> {
  const inner = newCall({ ...call })
  const completion = await askWhole(target, attemptContext, { request }, inner, context)
  const chars = completion.choices.reduce((sum, { message }) => sum + charsOfMessage(message), 0)
  settle(inner, target, request, { usage: completion.usage, serviceTier: completion.service_tier, chars })
  spend(call, inner.estimated ? null : inner.cost, inner.tokens)
  call.estimated ||= inner.estimated
  return completion
}
