import type { ToolCall } from '../../../contract/chat-reply.ts'
import type { Answer, AnswerChoice, AnswerChunk, AnswerMessage, AnswerPiece } from '../../wire/answer.ts'
import { type Fields, isRecord, recordOf } from '../../../base/schema/record.ts'

/** Words that come whole, also if they come again. */
const WORDS: ReadonlySet<string> = new Set(['role', 'id', 'type', 'format'])

/** The whole answer that the chunks of a stream add up to: the reverse of chunksOf. */
export function completionOf(chunks: readonly AnswerChunk[]): Answer {
  const choices = new Map<number, JoinedChoice>()
  const head: Fields = {}
  for (const { choices: added, nativeEvents: _, nativeReplies: __, ...rest } of chunks) {
    for (const [name, value] of Object.entries(rest)) if (value != null) head[name] ||= value
    if (rest.usage) head.usage = rest.usage
    for (const choice of added) joinedIn(choices, choice.index).add(choice)
  }
  const { id, created, model, ...more } = head as Omit<AnswerChunk, 'choices'>
  return { id, created, model, ...more, object: 'chat.completion', choices: [...choices.values()].map(wholeOf) }
}

function joinedIn(choices: Map<number, JoinedChoice>, index: number): JoinedChoice {
  const existing = choices.get(index)
  if (existing) return existing
  const choice = new JoinedChoice()
  choices.set(index, choice)
  return choice
}

function wholeOf(choice: JoinedChoice): AnswerChoice {
  return choice.whole()
}

class JoinedChoice {
  readonly #message: Fields = {}
  readonly #calls = new Map<number, Fields>()
  #logprobs: Fields | null = null
  /** The latest members of the choice itself: at the end they say how it ended. */
  #last: Omit<AnswerPiece, 'delta' | 'logprobs'> | undefined

  add({ delta, logprobs, ...choice }: AnswerPiece): void {
    const { tool_calls, placedBlocks: _, planStart: __, ...content } = delta
    this.#last = choice
    join(this.#message, content)
    if (logprobs) this.#logprobs = join(this.#logprobs ?? {}, logprobs)
    for (const { index, ...piece } of tool_calls ?? []) {
      const call = this.#calls.get(index) ?? {}
      this.#calls.set(index, join(call, piece))
    }
  }

  whole(): AnswerChoice {
    const calls = [...this.#calls.values()] as ToolCall[]
    const message = { role: 'assistant', content: null, ...this.#message } as AnswerMessage
    if (calls.length > 0) message.tool_calls = calls
    return { ...this.#last!, message, logprobs: this.#logprobs }
  }
}

/** Texts go on, lists grow, objects are joined, and anything else is replaced. */
function join(whole: Fields, piece: Fields): Fields {
  for (const [name, value] of Object.entries(piece)) {
    const before = whole[name]
    if (name === '__proto__') continue
    if (typeof before === 'string' && typeof value === 'string' && !WORDS.has(name)) whole[name] = before + value
    else if (Array.isArray(before) && Array.isArray(value)) for (const one of value) before.push(one)
    else if (isRecord(before) && isRecord(value)) join(before, value)
    else if (value != null || before === undefined) whole[name] = copyOf(value)
  }
  return whole
}

/** What grows is not shared with the chunk. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return [...value]
  return isRecord(value) ? join({}, recordOf(value)) : value
}
