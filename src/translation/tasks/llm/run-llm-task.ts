import { countOf } from '../../../base/schema/record.ts'
import type { ChatRequest, ContentPart } from '../../../contract/chat.ts'
import type { ChatCompletion } from '../../../contract/chat-reply.ts'
import { notesOfEnds } from '../../dialects/answer/finish-reason.ts'
import type { ValidationIssue } from '../../../base/schema/validation-issue.ts'
import { TaskFailure } from '../http/task-failure.ts'
import type { Feature, Result, Task } from '../feature.ts'
import { readReply } from './read-reply.ts'
import { repairRequest } from './repair-request.ts'
import { toChatRequest } from './to-chat-request.ts'
import { type Answer, withoutInternals } from '../../wire/answer.ts'
import { CHARS_PER_TOKEN } from '../../wire/chars-per-token.ts'

const MAX_ASKS = 2

/** Runs a task with a chat model. If the answer is invalid, the model gets one chance to repair it. Units are tokens. */
export async function runLlmTask(
  feature: Feature,
  task: Task<unknown>,
  model: string,
  ask: (request: ChatRequest) => Promise<Answer>,
): Promise<Result<unknown>> {
  let request = await toChatRequest(feature, task, model)
  let units = 0
  for (let asks = 1; ; asks++) {
    const answer = await ask(request)
    units += tokensOf(request, answer)
    refuseUnfinished(answer)
    const original = withoutInternals(answer)
    const reply = readReply(feature, task, original)
    if ('output' in reply) return { output: reply.output, original, units }
    if (asks === MAX_ASKS) throw misfit(reply.issues)
    request = repairRequest(request, original, reply.issues)
  }
}

/** The model refused, could not finish, or ended in a way that the gateway does not know, so a repair would not help. */
function refuseUnfinished({ choices }: Answer) {
  const { message, finish_reason = null } = choices[0] ?? {}
  if (message?.refusal || finish_reason === 'content_filter')
    throw new TaskFailure('content_policy', 'the model refused to work on this')
  const [uncertain] = notesOfEnds(choices)
  if (uncertain) throw new TaskFailure('unreadable', uncertain.reason)
  if (finish_reason === null) throw new TaskFailure('unreadable', 'the provider sent no finish reason')
  if (finish_reason === 'length')
    throw new TaskFailure('context_length', 'the answer is longer than the limit of the model or of `max_tokens`')
}

function misfit([first]: ValidationIssue[]): TaskFailure {
  const where = first?.loc.length ? ` (${first.loc.join('.')}: ${first.msg})` : ''
  return new TaskFailure('garbage', `the model's answer does not match the output schema of this task${where}`)
}

/** If a provider reports no usage, tokens are estimated from characters, without files. */
function tokensOf({ messages }: ChatRequest, { usage, choices }: ChatCompletion): number {
  if (usage) return countOf(usage.total_tokens) || countOf(usage.prompt_tokens) + countOf(usage.completion_tokens)
  const requests = messages.flatMap(({ content }) => textsIn(content ?? ''))
  const characters = [...requests, choices[0]?.message.content ?? ''].reduce((sum, text) => sum + text.length, 0)
  return Math.ceil(characters / CHARS_PER_TOKEN)
}

function textsIn(content: string | readonly ContentPart[]): string[] {
  return typeof content === 'string' ? [content] : content.map((part) => ('text' in part ? part.text : ''))
}
