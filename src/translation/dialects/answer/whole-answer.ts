import type { Usage } from '../../../contract/chat-reply.ts'
import type { Answer, AnswerChoice } from '../../wire/answer.ts'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import { refuseCutToolCalls } from './complete-tool-calls.ts'
import { unknownEnd } from './finish-reason.ts'
import { saysSomething } from './says-something.ts'

/** Reads an answer. If it has failed, its usage goes with the error: the provider bills it all the same. */
export function billedAnyway<Read>(usage: Usage | null | undefined, read: () => Read): Read {
  try {
    return read()
  } catch (error) {
    if (error instanceof UpstreamProblem) error.usage = usage ?? undefined
    throw error
  }
}

/** When the provider is known to send no reason. */
type EndsWithoutReason = 'always' | 'calls' | undefined

/** The rules for the ends of an answer in one piece, in every dialect: each has its reason, and no call breaks off. */
export function settleEnds(completion: Answer, endsWithoutReason: EndsWithoutReason): Answer {
  for (const choice of completion.choices) if (!choice.finish_reason) settleUnsaid(choice, endsWithoutReason)
  refuseCutToolCalls(completion)
  return completion
}

/** A provider that is known to omit the reason has finished. For any other, the gateway cannot know whether this is the whole answer. */
function settleUnsaid(choice: AnswerChoice, endsWithoutReason: EndsWithoutReason): void {
  if (!saysSomething(choice.message)) throw new UpstreamProblem('empty', 'the provider sent an answer without content')
  const hasCalls = Boolean(choice.message.tool_calls?.length)
  if (endsWithoutReason === 'always' || (endsWithoutReason === 'calls' && hasCalls))
    choice.finish_reason = hasCalls ? 'tool_calls' : 'stop'
  else Object.assign(choice, unknownEnd())
}
