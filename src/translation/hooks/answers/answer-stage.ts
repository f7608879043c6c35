import type { Answer, AnswerChoice, AnswerChunk, AnswerDelta, AnswerPiece } from '../../wire/answer.ts'
import { problem } from '../../../contract/problems.ts'
import { pieceBytes, valueBytes } from '../../json/value-bytes.ts'
import type { AnswerTexts } from '../hook.ts'
import { chunkLike, dropText, hasMetadata, type Stage, withoutWhole } from './stage.ts'

/** Roughly what may be kept of one stream: some 19 million characters, or 150,000 chunks of a word each. */
const MAX_BYTES = 96_000_000
const ANSWER_BYTES = 300
/** Most answers take less. */
const UNRESERVED_BYTES = 512 * 1024
const NO_MEMORY =
  'The gateway has no memory at the moment for what the post hooks hold back of this answer. Try again shortly.'

const TEXTS = ['content', 'refusal', 'reasoning_content'] as const
type TextField = (typeof TEXTS)[number]
type Run = (answer: AnswerTexts) => Promise<AnswerTexts>
/** The new texts of the changed answers, by the index of the answer. */
type Changes = Map<number, Map<TextField, string>>

/** Runs on complete answers. If it `holds`, the stream is kept back until it ends; otherwise the stream passes and is only read. */
export function answerStage(run: Run, holds: boolean, reserve?: Reserve): Stage {
  return new AnswerStage(run, holds, reserve)
}

/** Takes memory of the process for what is kept. Returns false if there is none. */
type Reserve = (bytes: number) => boolean

class AnswerStage implements Stage {
  changed = false
  readonly #run: Run
  readonly #holds: boolean
  readonly #chunks: AnswerChunk[] = []
  readonly #answers = new Map<number, AnswerTexts>()
  readonly #reserve: Reserve
  #bytes = 0
  #reserved = UNRESERVED_BYTES

  constructor(run: Run, holds: boolean, reserve: Reserve = () => true) {
    this.#run = run
    this.#holds = holds
    this.#reserve = reserve
  }

  async whole(completion: Answer): Promise<Answer> {
    const choices: AnswerChoice[] = []
    for (const choice of completion.choices) choices.push(await this.#runOnChoice(choice))
    return { ...completion, choices }
  }

  feed(chunks: AnswerChunk[]): AnswerChunk[] {
    for (const { choices } of chunks) for (const choice of choices) this.#add(choice)
    if (!this.#holds) return chunks
    // One by one: an earlier stage may release more chunks at once than a function call takes arguments.
    for (const chunk of chunks) this.#hold(chunk)
    return []
  }

  async end(): Promise<AnswerChunk[]> {
    const changes: Changes = new Map()
    for (const [index, before] of this.#answers) {
      const after = await this.#run(before)
      const fields = this.#changedFields(before, after).map((field) => [field, after[field] ?? ''] as const)
      if (fields.length > 0) changes.set(index, new Map(fields))
    }
    return changes.size > 0 ? rewritten(this.#chunks, changes) : this.#chunks
  }

  async #runOnChoice(choice: AnswerChoice): Promise<AnswerChoice> {
    const before = answerIn(choice)
    const after = await this.#run(before)
    const fields = this.#changedFields(before, after)
    if (fields.length === 0) return choice
    const texts = Object.fromEntries(fields.map((field) => [field, after[field]]))
    return { ...choice, message: { ...choice.message, ...texts }, logprobs: null }
  }

  #changedFields(before: AnswerTexts, after: AnswerTexts): TextField[] {
    const fields = TEXTS.filter((field) => before[field] !== after[field])
    this.changed ||= fields.length > 0
    return fields
  }

  #add({ index, delta }: AnswerPiece): void {
    const answer = this.#answers.get(index) ?? this.#opened(index)
    for (const field of TEXTS) {
      const text = delta[field]
      if (typeof text !== 'string') continue
      answer[field] = (answer[field] ?? '') + text
      this.#charge(pieceBytes(text))
    }
    answer.callsTools ||= Boolean(delta.tool_calls?.length || delta.function_call)
  }

  #hold(chunk: AnswerChunk): void {
    this.#charge(valueBytes(chunk))
    this.#chunks.push(chunk)
  }

  #opened(index: number): AnswerTexts {
    const answer = { content: null, refusal: null, reasoning_content: null, callsTools: false }
    this.#answers.set(index, answer)
    this.#charge(ANSWER_BYTES)
    return answer
  }

  #charge(more: number): void {
    this.#bytes += more
    if (this.#bytes > MAX_BYTES)
      throw problem('upstream_error', { message: 'The answer is too long for the post hooks.' })
    if (this.#bytes <= this.#reserved) return
    const next = 2 * this.#bytes
    if (!this.#reserve(next - this.#reserved)) throw problem('overloaded', { message: NO_MEMORY })
    this.#reserved = next
  }
}

function answerIn({ message }: AnswerChoice): AnswerTexts {
  const { content, refusal, reasoning_content, tool_calls, function_call } = message
  return {
    content: content ?? null,
    refusal: refusal ?? null,
    reasoning_content: reasoning_content ?? null,
    callsTools: Boolean(tool_calls?.length || function_call),
  }
}

/** The chunks with the new texts: a text replaces its first piece as a whole, or is sent before the end if it had no pieces. */
function rewritten(chunks: readonly AnswerChunk[], changes: Changes): AnswerChunk[] {
  const placed = new Map([...changes.keys()].map((index) => [index, new Set<TextField>()]))
  return chunks.flatMap((chunk) => rewrittenChunk(chunk, changes, placed))
}

type WrittenFields = Map<number, Set<TextField>>

function rewrittenChunk(chunk: AnswerChunk, changes: Changes, placed: WrittenFields): AnswerChunk[] {
  if (!chunk.choices.some(({ index }) => changes.has(index))) return [chunk]
  const before: AnswerChunk[] = []
  const choices = chunk.choices.map(withoutWhole).flatMap((own) => {
    const texts = changes.get(own.index)
    if (!texts) return [own]
    const { choice, late } = rewrittenChoice(own, texts, placed.get(own.index)!)
    for (const delta of late) before.push(chunkLike(chunk, [{ index: own.index, delta, finish_reason: null }]))
    const isEmpty = Object.keys(choice.delta).length === 0 && !own.finish_reason && !hasMetadata(chunk)
    return isEmpty ? [] : [choice]
  })
  return choices.length === 0 ? before : [...before, { ...chunk, choices }]
}

/** `late` are new texts for fields that had no piece until the answer ended. */
function rewrittenChoice(own: AnswerPiece, texts: ReadonlyMap<TextField, string>, placed: Set<TextField>) {
  const delta: AnswerDelta = { ...own.delta }
  const late: AnswerDelta[] = []
  for (const [field, text] of texts) {
    const isFirst = !placed.has(field) && Boolean(delta[field])
    if (isFirst) delta[field] = text
    else dropText(delta, field)
    if (!isFirst && (placed.has(field) || !own.finish_reason)) continue
    if (!isFirst) late.push({ [field]: text })
    placed.add(field)
  }
  return { choice: { ...own, delta, ...(own.logprobs && { logprobs: null }) } as AnswerPiece, late }
}
