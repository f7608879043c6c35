import type { ChatRequest } from '../contract/chat.ts'
import type { ChatCompletion } from '../contract/chat-reply.ts'
import type { Feature, Result, Task } from '../tasks/feature.ts'
import { runLlmTask } from '../tasks/llm/run-llm-task.ts'
import { askWhole } from '../upstream/ask.ts'
import { newInnerCall } from '../calls/call.ts'
import { settleWhole } from '../upstream/settle.ts'
import { spend } from '../calls/spend.ts'
import type { ChatAttempt } from '../routing/route.ts'

/** A chat model does the task. Every request to the model is billed, even if the task fails in the end. */
export function askForTask(feature: Feature, task: Task<unknown>, attempt: ChatAttempt): Promise<Result<unknown>> {
  return runLlmTask(feature, task, attempt.target.id, (request) => ask(attempt, request))
}

async function ask(attempt: ChatAttempt, request: ChatRequest): Promise<ChatCompletion> {
  const { target, call, context } = attempt
  const inner = newInnerCall(call)
  try {
    const completion = await askWhole({ ...attempt, call: inner }, { request })
    settleWhole({ call: inner, target, context }, request, completion)
    return completion
  } finally {
    // Whoever has left pays an estimate of the prompt. The cost of an answer is stated only if it is known.
    const isUnknown = (inner.estimated && !call.signal.aborted) || inner.costIsPartial
    if (inner.tokens) spend(call, isUnknown ? null : inner.cost, inner.tokens)
    call.estimated ||= inner.estimated
  }
}
