import type { Call } from '../../calls/call.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { knownCost } from '../../calls/call.ts'
import { metadataOf } from '../../calls/call-metadata.ts'
import { keepCalls } from '../../calls/content-draft.ts'
import { unseenInCompletion } from '../../calls/unseen-notes.ts'
import type { ChatCompletion, Choice } from '../../contract/chat-reply.ts'
import { type Fields, recordsIn, textOf } from '../../base/schema/record.ts'
import { showsSteps } from '../../translation/formats/unseen-content.ts'
import { chatTurn } from '../chat/chat.ts'
import type { Followed, ToolLoop, Turn } from './loop.ts'
import { moved } from './moved-annotations.ts'

/** Asks and calls until the answer is complete, and returns it as one. */
export async function wholeAnswer(loop: ToolLoop, call: Call, services: CallServices): Promise<ChatCompletion> {
  await loop.begin()
  const merged = new MergedMessage()
  let id: Pick<ChatCompletion, 'id' | 'created'> | undefined
  for (;;) {
    const completion = await chatTurn(loop.nextRequest(), call, services)
    id ??= { id: completion.id, created: completion.created }
    const choice = completion.choices[0]!
    const turn = turnOf(choice)
    merged.add(choice, loop.textBefore(turn))
    const { end } = await loop.follow(turn)
    if (end) return finished({ ...completion, ...id, choices: [merged.choice(choice, end, loop)] }, call, services)
  }
}

function turnOf({ message, finish_reason }: Choice): Turn {
  const { content, tool_calls, reasoning_content, provider_content } = message
  const { reasoning_details } = message as Fields
  const calls = tool_calls ?? []
  return { text: content ?? '', calls, finish: finish_reason, reasoning_content, reasoning_details, provider_content }
}

/** The cost and the notes are those of all turns and calls. */
function finished(completion: ChatCompletion, call: Call, services: CallServices): ChatCompletion {
  call.record.note(unseenInCompletion(completion, call))
  const { content } = call.record
  if (content && !showsSteps(call.format)) keepCalls(content, completion.choices[0]?.message.provider_content)
  completion.cost = knownCost(call)
  if (call.wantsMetadata) completion.gatehouse = metadataOf(call, services)
  return completion
}

/** What the turns said, as one message. */
class MergedMessage {
  #text = ''
  #reasoning = ''
  readonly #annotations: Fields[] = []
  readonly #images: unknown[] = []

  add({ message }: Choice, between: string): void {
    const { content, reasoning_content, annotations, images } = message as Choice['message'] & { images?: unknown }
    const start = this.#text.length + between.length
    this.#annotations.push(...moved(recordsIn(annotations), start))
    this.#text += between + (content ?? '')
    if (reasoning_content) this.#reasoning += (this.#reasoning && '\n\n') + textOf(reasoning_content)
    if (Array.isArray(images)) this.#images.push(...images)
  }

  /** The last turn has what only the end of an answer has. */
  choice(last: Choice, { finish, calls }: NonNullable<Followed['end']>, loop: ToolLoop): Choice {
    const { tool_calls: _, provider_content: own, ...message } = last.message
    const { annotations = [], ...content } = loop.closing(own)
    const sources = [...this.#annotations, ...annotations]
    return {
      ...last,
      finish_reason: finish,
      message: {
        ...message,
        content: this.#text || (calls.length > 0 ? null : message.content),
        ...(this.#reasoning && { reasoning_content: this.#reasoning }),
        ...(calls.length > 0 && { tool_calls: [...calls] }),
        ...(sources.length > 0 && { annotations: sources }),
        ...(this.#images.length > 0 && { images: this.#images }),
        ...(content.provider_content && { provider_content: content.provider_content as typeof own }),
      },
    }
  }
}
