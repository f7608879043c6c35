import type { ChatRequest } from '../../contract/chat.ts'
import type { ChatCompletion } from '../../contract/chat-reply.ts'
import type { Feature, Result, Task } from '../../translation/tasks/feature.ts'
import { runLlmTask } from '../../translation/tasks/llm/run-llm-task.ts'
import { askWhole } from '../../calls/upstream/ask.ts'
import { partOf } from '../../calls/call.ts'
import type { ChatAttempt } from '../../calls/routing/chat-targets.ts'

/** A chat model does the task. Every request to the model is billed, even if the task fails in the end. */
export function askForTask(feature: Feature, task: Task<unknown>, attempt: ChatAttempt): Promise<Result<unknown>> {
  return runLlmTask(feature, task, attempt.target.id, (request) => ask(attempt, request))
}

/** The notes about this request are not those of the task. */
function ask(attempt: ChatAttempt, request: ChatRequest): Promise<ChatCompletion> {
  return askWhole({ ...attempt, call: partOf(attempt.call) }, { request })
}
