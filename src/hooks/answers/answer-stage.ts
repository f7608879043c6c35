import type { ChatChunk, ChatCompletion, Choice, ChunkChoice, Delta } from '../../contract/chat-reply.ts'
import { problem } from '../../contract/problems.ts'
import { pieceBytes, valueBytes } from '../../json/value-bytes.ts'
import type { Answer } from '../hook.ts'
import { chunkLike, type Stage, tellsMore } from './stage.ts'

/** What is kept of one stream, roughly: some 19 million characters, or 150,000 chunks of a word each. */
const MAX_BYTES = 96_000_000
const ANSWER_BYTES = 300

const TEXTS = ['content', 'refusal', 'reasoning_content'] as const
type TextField = (typeof TEXTS)[number]
type Run = (answer: Answer) => Promise<Answer>
/** The new texts of answers, by their index. Those that have been put in their place are taken out. */
type Changes = Map<number, Map<TextField, string>>

/** Runs on answers as a whole. One that `holds` keeps a stream back until it ends; any other lets it pass and only looks. */
export function answerStage(run: Run, holds: boolean): Stage {
  const chunks: ChatChunk[] = []
  const answers = new Map<number, Answer>()
  let bytes = 0
  let changed = false
  return {
    async whole(completion: ChatCompletion) {
      const choices: Choice[] = []
      for (const choice of completion.choices) choices.push(await runOnChoice(choice))
      return { ...completion, choices }
    },
    feed(options) {
      for (const { choices } of options) for (const choice of choices) add(choice)
      if (!holds) return options
      // One by one: what an earlier stage held back comes at once, and may be more than a call takes arguments.
      for (const chunk of options) hold(chunk)
      return []
    },
    async end() {
      const changes: Changes = new Map()
      for (const [index, before] of answers) {
        const after = await run(before)
        const fields = differing(before, after).map((field) => [field, after[field] ?? ''] as const)
        if (fields.length > 0) changes.set(index, new Map(fields))
      }
      return changes.size > 0 ? rewritten(chunks, changes) : chunks
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
    const answer = answers.get(index) ?? opened(index)
    for (const field of TEXTS) {
      const text = delta[field]
      if (typeof text !== 'string') continue
      answer[field] = (answer[field] ?? '') + text
      charge(pieceBytes(text))
    }
    answer.callsTools ||= Boolean(delta.tool_calls?.length || delta.function_call)
  }

  function hold(chunk: ChatChunk): void {
    charge(valueBytes(chunk))
    chunks.push(chunk)
  }

  function opened(index: number): Answer {
    const answer = { content: null, refusal: null, reasoning_content: null, callsTools: false }
    answers.set(index, answer)
    charge(ANSWER_BYTES)
    return answer
  }

  function charge(more: number): void {
    bytes += more
    if (bytes > MAX_BYTES) throw problem('upstream_error', { message: 'The answer is too long for the post hooks.' })
  }
}

/** The chunks with other texts: all of one where its first piece stood, or before the end when there was none. */
function rewritten(chunks: readonly ChatChunk[], changes: Changes): ChatChunk[] {
  const placed = new Map([...changes.keys()].map((index) => [index, new Set<TextField>()]))
  return chunks.flatMap((chunk) => rewrittenChunk(chunk, changes, placed))
}

type Placed = Map<number, Set<TextField>>

function rewrittenChunk(chunk: ChatChunk, changes: Changes, placed: Placed): ChatChunk[] {
  if (!chunk.choices.some(({ index }) => changes.has(index))) return [chunk]
  const before: ChatChunk[] = []
  const choices = chunk.choices.flatMap((own) => {
    const texts = changes.get(own.index)
    if (!texts) return [own]
    const { choice, late } = rewrittenChoice(own, texts, placed.get(own.index)!)
    for (const delta of late) before.push(chunkLike(chunk, [{ index: own.index, delta, finish_reason: null }]))
    const isEmpty = Object.keys(choice.delta).length === 0 && !own.finish_reason && !tellsMore(chunk)
    return isEmpty ? [] : [choice]
  })
  return choices.length === 0 ? before : [...before, { ...chunk, choices }]
}

/** `late` are texts of which no piece came before the answer ends. */
function rewrittenChoice(own: ChunkChoice, texts: ReadonlyMap<TextField, string>, placed: Set<TextField>) {
  const delta: Delta = { ...own.delta }
  const late: Delta[] = []
  for (const [field, text] of texts) {
    const piece = delta[field]
    delete delta[field]
    const isFirst = !placed.has(field) && typeof piece === 'string' && piece !== ''
    if (isFirst) delta[field] = text
    else if (!placed.has(field) && own.finish_reason) late.push({ [field]: text })
    else continue
    placed.add(field)
  }
  return { choice: { ...own, delta, ...(own.logprobs && { logprobs: null }) } as ChunkChoice, late }
}
