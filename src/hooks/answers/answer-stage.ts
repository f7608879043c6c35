import type { ChatChunk, ChatCompletion, Choice, ChunkChoice } from '../../contract/chat-reply.ts'
import { problem } from '../../contract/problems.ts'
import type { Answer } from '../hook.ts'
import { chunkLike, type Stage, tellsMore } from './stage.ts'

/** All answers of one stream that is held together. */
const MAX_CHARS = 16_000_000

const TEXTS = ['content', 'refusal', 'reasoning_content'] as const
type TextField = (typeof TEXTS)[number]
type Run = (answer: Answer) => Promise<Answer>

/** Runs on answers as a whole. One that `holds` keeps a stream back until it ends; any other lets it pass and only looks. */
export function answerStage(run: Run, holds: boolean): Stage {
  const chunks: ChatChunk[] = []
  const answers = new Map<number, Answer>()
  let chars = 0
  let changed = false
  return {
    async whole(completion: ChatCompletion) {
      const choices: Choice[] = []
      for (const choice of completion.choices) choices.push(await runOnChoice(choice))
      return { ...completion, choices }
    },
    feed(given) {
      for (const { choices } of given) for (const choice of choices) add(choice)
      if (holds) chunks.push(...given)
      return holds ? [] : given
    },
    async end() {
      let left = chunks
      for (const [index, before] of answers) {
        const after = await run(before)
        for (const field of differing(before, after)) left = rewritten(left, index, field, after[field] ?? '')
      }
      return left
    },
    get changed() {
      return changed
    },
  }

  async function runOnChoice(choice: Choice): Promise<Choice> {
    const { content, refusal, reasoning_content, tool_calls, function_call } = choice.message
    const before: Answer = {
      content: content ?? null,
      refusal: refusal ?? null,
      reasoning_content: reasoning_content ?? null,
      callsTools: Boolean(tool_calls?.length || function_call),
    }
    const after = await run(before)
    const fields = differing(before, after)
    if (fields.length === 0) return choice
    const texts = Object.fromEntries(fields.map((field) => [field, after[field]]))
    return { ...choice, message: { ...choice.message, ...texts }, logprobs: null }
  }

  function differing(before: Answer, after: Answer): TextField[] {
    const fields = TEXTS.filter((field) => before[field] !== after[field])
    changed ||= fields.length > 0
    return fields
  }

  function add({ index, delta }: ChunkChoice): void {
    const answer = answers.get(index) ?? { content: null, refusal: null, reasoning_content: null, callsTools: false }
    answers.set(index, answer)
    for (const field of TEXTS) {
      const text = delta[field]
      if (typeof text !== 'string') continue
      answer[field] = (answer[field] ?? '') + text
      chars += text.length
    }
    answer.callsTools ||= Boolean(delta.tool_calls?.length || delta.function_call)
    if (chars > MAX_CHARS) throw problem('upstream_error', { message: 'The answer is too long for the post hooks.' })
  }
}

/** The chunks with another text: all of it where the first piece stood, or before the end when there was none. */
function rewritten(chunks: readonly ChatChunk[], index: number, field: TextField, text: string): ChatChunk[] {
  let isPlaced = false
  return chunks.flatMap((chunk) => {
    const own = chunk.choices.find((choice) => choice.index === index)
    if (!own) return [chunk]
    const { [field]: piece, ...rest } = own.delta
    const choice: ChunkChoice = { ...own, delta: rest, ...(own.logprobs && { logprobs: null }) }
    const others = chunk.choices.filter((one) => one !== own)
    if (!isPlaced && typeof piece === 'string' && piece !== '') {
      isPlaced = true
      return [{ ...chunk, choices: [...others, { ...choice, delta: { ...rest, [field]: text } }] }]
    }
    const isLate = !isPlaced && own.finish_reason
    if (isLate) isPlaced = true
    const before = isLate ? [chunkLike(chunk, [{ index, delta: { [field]: text }, finish_reason: null }])] : []
    const isEmpty = Object.keys(rest).length === 0 && !own.finish_reason && !tellsMore(chunk)
    const choices = isEmpty ? others : [...others, choice]
    return choices.length === 0 ? before : [...before, { ...chunk, choices }]
  })
}
