import { tryParse } from '../../json/try-parse.ts'
import { type Answer, type AnswerMessage, Internal } from '../../wire/answer.ts'
import { errorEvent } from '../answer/error-event.ts'
import { billedAnyway } from '../answer/whole-answer.ts'
import { partOf, partsOf, pieceOf } from '../answer/unreadable-event.ts'
import { notAnAnswer } from '../answer-problems.ts'
import { countOf, type Fields, isRecord, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { toolCall } from '../tool-call.ts'
import { annotationsOf, isOfAnswer } from './citations.ts'
import { argumentsOf, ending, toUsage } from './finish-reason.ts'
import { toLogprobs } from './logprobs.ts'
import { ProviderBlocks } from '../provider-blocks.ts'
import { problemIn } from './problem.ts'
import { MAKER, noteBlock, noteCitation } from './provider-content.ts'

/** Cohere sends no time: the gateway sets its own. */
export function decode(text: string): Answer {
  const reply = recordOf(tryParse(text))
  const error = problemIn(reply)
  if (error) throw error
  const { message } = reply
  if (!isRecord(message) || !isAnswer(reply.finish_reason, message))
    throw errorEvent({ data: text }, reply) ?? notAnAnswer(text, 'a reply of its chat')
  const usage = toUsage(reply.usage)
  const end = billedAnyway(usage, () => ending(reply.finish_reason, reply.error))
  const logprobs = recordsIn(reply.logprobs)
  const completion: Partial<Answer> = {
    ...(textOf(reply.id) && { id: textOf(reply.id) }),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: toMessage(message),
        ...end,
        ...(logprobs.length > 0 && { logprobs: toLogprobs(logprobs) }),
      },
    ],
    ...(usage && { usage }),
  }
  return completion as Answer
}

function isAnswer(reason: unknown, { content, tool_calls }: Fields): boolean {
  return typeof reason === 'string' || Array.isArray(content) || Array.isArray(tool_calls)
}

/** The plan that leads to calls is reasoning too. */
function toMessage(message: Fields): AnswerMessage {
  const blocks = partsOf(message.content)
  const texts = blocks.map(({ text }) => pieceOf(text))
  const starts = startsOf(texts)
  const thinking = blocks.map((block) => pieceOf(block.thinking)).join('')
  const plan = pieceOf(message.tool_plan)
  const reasoning = thinking + plan
  const calls = partsOf(message.tool_calls).map(({ id, function: called }) => {
    const { name, arguments: value } = partOf(called)
    return toolCall(id, name, argumentsOf(pieceOf(value)))
  })
  const annotations = recordsIn(message.citations)
    .filter(isOfAnswer)
    .flatMap((citation) => annotationsOf(citation, starts[countOf(citation.content_index)] ?? starts.at(-1) ?? 0))
  const noted = new ProviderBlocks(MAKER)
  for (const [at, block] of blocks.entries()) noteBlock(noted, block, starts[at]!)
  for (const citation of recordsIn(message.citations)) noteCitation(noted, citation)
  return {
    role: 'assistant',
    content: texts.join('') || null,
    ...(reasoning && { reasoning_content: reasoning }),
    ...(plan && { planStart: new Internal(thinking.length) }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(annotations.length > 0 && { annotations }),
    ...noted.content(),
  }
}

/** The position in the answer at which each text begins, and its end. */
function startsOf(texts: readonly string[]): number[] {
  const starts = [0]
  for (const { length } of texts) starts.push(starts.at(-1)! + length)
  return starts
}
