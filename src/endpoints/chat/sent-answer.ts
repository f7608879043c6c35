import { callIdsOf, MAX_DETAILS_CHARS } from '../../calls/reasoning-memory.ts'
import { type AnswerChunk, type AnswerDelta, blocksIn } from '../../translation/wire/answer.ts'
import { packContent } from '../../translation/dialects/packed-content.ts'
import type { Fields } from '../../base/schema/record.ts'

/** A longer text is not resumed, so it is not kept in memory. */
const MAX_TEXT_CHARS = 100_000
/** What a tool call's id takes in memory besides its own text. */
const CALL_CHARS = 64

/** What the caller has received so far, from all targets. Another target needs it to continue a stream that breaks off. */
export class SentAnswer {
  /** The first chunk that was passed on. All others get its id and time. */
  head: AnswerChunk | undefined
  /** Whether the caller requested the usage. */
  wantsUsage = false
  text = ''
  /** Signed reasoning, and the tool calls that it belongs to. */
  reasoning: Record<string, unknown>[] = []
  callIds: string[] = []
  #rememberedChars = 0
  /** More was sent than the text of a single answer, so no other target could continue it. */
  isMoreThanText = false

  add({ choices }: AnswerChunk): void {
    for (const { delta } of choices) this.#remember(delta)
    if (this.isMoreThanText) return
    for (const { index, delta, finish_reason } of choices) {
      if (delta?.content && index === 0) this.text += delta.content
      if (index > 0 || finish_reason || (delta && isMoreThanText(delta))) this.isMoreThanText = true
    }
    if (this.text.length > MAX_TEXT_CHARS) this.isMoreThanText = true
    if (this.isMoreThanText) this.text = ''
  }

  #remember(delta: AnswerChunk['choices'][number]['delta']) {
    if (this.#rememberedChars > MAX_DETAILS_CHARS) return
    if (delta?.tool_calls) for (const id of callIdsOf(delta.tool_calls)) this.#addCall(id)
    const { reasoning_details, provider_content } = (delta ?? {}) as Fields
    if (reasoning_details || provider_content) this.#addReasoning(packContent({ reasoning_details, provider_content }))
    // Providers want their signed reasoning back unchanged, so a part of it is useless.
    if (this.#rememberedChars > MAX_DETAILS_CHARS) [this.reasoning, this.callIds] = [[], []]
  }

  /** Some providers repeat the id with every piece of a tool call. */
  #addCall(id: string) {
    if (this.callIds.includes(id)) return
    this.callIds.push(id)
    this.#rememberedChars += CALL_CHARS + id.length
  }

  #addReasoning(details: Record<string, unknown>[]) {
    this.#rememberedChars += JSON.stringify(details).length
    for (const detail of details) this.reasoning.push(detail)
  }
}

/** Another target would not know of these, and would do them again. */
function isMoreThanText(delta: AnswerDelta): boolean {
  const { tool_calls, refusal, audio, function_call, images } = delta as AnswerDelta & { images?: unknown }
  return Boolean(tool_calls || refusal || audio || function_call || images) || blocksIn(delta).length > 0
}
