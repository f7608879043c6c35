import { omissionOf } from '../../translation/hooks/answers/provider-blocks.ts'
import { chunkLike, hasMetadata, type Stage } from '../../translation/hooks/answers/stage.ts'
import {
  type Answer,
  type AnswerChoice,
  type AnswerChunk,
  type AnswerDelta,
  type AnswerPiece,
  blocksIn,
} from '../../translation/wire/answer.ts'
import type { ProviderContent } from '../../contract/provider-content.ts'
import { isRecord } from '../../base/schema/record.ts'
import type { Guards, TextPass } from './guards.ts'

// Guardrails on an answer: the canonical form of it, which answers in all formats pass.

/** Texts that are passed on while they arrive. */
const FLOWING = ['reasoning_content', 'content', 'refusal'] as const
type Flowing = (typeof FLOWING)[number]

/** Parts of a message whose texts can be replaced. The others pass as they are, or not at all. */
const REPLACED: ReadonlySet<string> = new Set([...FLOWING, 'tool_calls', 'function_call', 'annotations', 'role'])
/** Members of an answer that have no texts of the model. */
const ENVELOPE: ReadonlySet<string> = new Set([
  ...['id', 'object', 'created', 'model', 'choices', 'usage', 'cost', 'provider', 'system_fingerprint'],
  ...['service_tier', 'gatehouse', 'edenai_metadata', 'nativeReply', 'nativeEvents', 'nativeReplies'],
])
/** Members of a choice that are looked at elsewhere, or that have no texts of the model. */
const OF_CHOICE: ReadonlySet<string> = new Set(['index', 'delta', 'message', 'finish_reason', 'logprobs'])
/** What only the gateway reads. */
const INTERNAL: ReadonlySet<string> = new Set(['placedBlocks', 'planStart'])

/** Checks an answer, and lets only what is decided pass. If no guardrail enforces anything, a stream passes at once and is only read. */
export function guardStage(guards: Guards): Stage {
  return guards.enforces('output') ? new EnforcingStage(guards) : new ReadingStage(guards)
}

/** The whole answer as it may be passed on. */
async function guardedAnswer(answer: Answer, guards: Guards): Promise<Answer> {
  const choices: AnswerChoice[] = []
  for (const choice of answer.choices) {
    const message = await guardedMessage(choice.message, guards)
    const { logprobs } = choice
    await guards.outsideAsItIs(Object.fromEntries(Object.entries(choice).filter(([name]) => !OF_CHOICE.has(name))))
    const passed = { ...withoutFound(choice, OF_CHOICE, guards), message }
    // Probabilities name the tokens, also of what was replaced.
    choices.push(guards.enforces('output') && logprobs ? { ...passed, logprobs: null } : passed)
  }
  return { ...withoutFound(answer, ENVELOPE, guards), choices }
}

async function guardedMessage<Message extends object>(message: Message, guards: Guards): Promise<Message> {
  const entries = Object.entries(message)
  const replaced = await guards.answered(Object.fromEntries(entries.filter(([name]) => REPLACED.has(name))))
  const others = Object.fromEntries(entries.filter(([name]) => !REPLACED.has(name) && !INTERNAL.has(name)))
  await guards.outsideAsItIs(others)
  return { ...withoutFound(message, REPLACED, guards), ...replaced }
}

/** Without the members in which something was found, except those that are looked at elsewhere. */
function withoutFound<Whole extends object>(whole: Whole, elsewhere: ReadonlySet<string>, guards: Guards): Whole {
  const kept = Object.entries(whole).flatMap(([name, value]) => {
    if (elsewhere.has(name) || INTERNAL.has(name) || !isRead(value)) return [[name, value]]
    if (guards.passesAsItIs({ [name]: withoutBytes(value) })) return [[name, value]]
    return name === 'provider_content' ? [[name, omissionOf(value as ProviderContent, 'guardrails')]] : []
  })
  const values = Object.values(whole)
  const isSame = kept.length === values.length && kept.every(([, value], at) => value === values[at])
  return isSame ? whole : Object.fromEntries(kept)
}

function isRead(value: unknown): value is object | string {
  return typeof value === 'string' || (typeof value === 'object' && value !== null)
}

/** Audio is bytes beside its transcript. */
function withoutBytes(value: object | string): unknown {
  if (!isRecord(value) || typeof value.data !== 'string') return value
  const { data: _, ...texts } = value
  return texts
}

/** One answer on its way: the texts that flow, and the pieces that are checked when it ends. */
type OpenAnswer = { passes: Map<Flowing, TextPass | undefined>; pieces: AnswerDelta[] }

abstract class StreamStage implements Stage {
  readonly changed = false
  protected readonly guards: Guards
  readonly #answers = new Map<number, OpenAnswer>()

  constructor(guards: Guards) {
    this.guards = guards
  }

  whole(answer: Answer): Promise<Answer> {
    return guardedAnswer(answer, this.guards)
  }

  abstract feed(chunks: AnswerChunk[]): AnswerChunk[]

  async end(): Promise<AnswerChunk[]> {
    return []
  }

  protected answerAt(index: number): OpenAnswer {
    const known = this.#answers.get(index)
    if (known) return known
    const opened: OpenAnswer = { passes: new Map(), pieces: [] }
    this.#answers.set(index, opened)
    return opened
  }

  protected passAt({ passes }: OpenAnswer, name: Flowing): TextPass | undefined {
    if (!passes.has(name)) passes.set(name, this.guards.open('output'))
    return passes.get(name)
  }
}

/** Nothing is kept from passing. */
class ReadingStage extends StreamStage {
  feed(chunks: AnswerChunk[]): AnswerChunk[] {
    for (const { choices } of chunks) for (const choice of choices) this.#read(choice)
    return chunks
  }

  #read({ index, delta, finish_reason }: AnswerPiece): void {
    const answer = this.answerAt(index)
    for (const name of FLOWING) {
      const text = delta[name]
      const pass = typeof text === 'string' && text !== '' ? this.passAt(answer, name) : undefined
      if (pass) this.guards.pass(pass, text as string)
    }
    if (hasOthers(delta)) answer.pieces.push(delta)
    if (!finish_reason) return
    for (const pass of answer.passes.values()) if (pass) this.guards.end(pass)
    for (const piece of joined(answer.pieces)) this.guards.answeredNow(piece)
    answer.pieces = []
  }
}

/** Holds back what is undecided of texts; calls of tools, and what providers send in pieces beside texts, until the answer ends. */
class EnforcingStage extends StreamStage {
  /** What came before anything could pass: a call that is blocked before has no answer. */
  #opening: AnswerChunk[] | undefined = []

  feed(chunks: AnswerChunk[]): AnswerChunk[] {
    const passed = chunks.flatMap((chunk) => this.#chunk(chunk))
    if (!this.#opening) return passed
    this.#opening.push(...passed)
    if (!passed.some(hasContent)) return []
    const opening = this.#opening
    this.#opening = undefined
    return opening
  }

  override async end(): Promise<AnswerChunk[]> {
    const opening = this.#opening ?? []
    this.#opening = undefined
    return opening
  }

  #chunk(chunk: AnswerChunk): AnswerChunk[] {
    const before = chunk.choices.flatMap((choice) =>
      choice.finish_reason ? this.#rest(choice).map((delta) => [choice.index, delta] as const) : [],
    )
    const released = before.map(([index, delta]) => chunkLike(chunk, [{ index, delta, finish_reason: null }]))
    const choices = chunk.choices.flatMap((choice) => this.#piece(choice))
    const head = withoutFound(chunk, ENVELOPE, this.guards)
    if (choices.length > 0 || chunk.choices.length === 0 || hasMetadata(chunk))
      return [...released, { ...head, choices }]
    return released
  }

  /** What is left when an answer ends: its last delta is a part of it. */
  #rest({ index, delta }: AnswerPiece): AnswerDelta[] {
    const answer = this.answerAt(index)
    const rest: AnswerDelta[] = []
    for (const name of FLOWING) {
      const text = delta[name]
      const pass = text || answer.passes.has(name) ? this.passAt(answer, name) : undefined
      const left = pass ? this.guards.pass(pass, text ?? '') + this.guards.end(pass) : (text ?? '')
      if (left !== '') rest.push({ [name]: left })
    }
    if (hasOthers(delta)) answer.pieces.push(delta)
    for (const piece of joined(answer.pieces)) {
      const { tool_calls, function_call, ...other } = piece
      const calls = this.guards.answeredNow({
        ...(tool_calls && { tool_calls }),
        ...(function_call && { function_call }),
      })
      rest.push({ ...withoutFound(other, REPLACED, this.guards), ...calls })
    }
    answer.pieces = []
    answer.passes = new Map()
    return rest.filter((piece) => Object.keys(piece).length > 0)
  }

  #piece(piece: AnswerPiece): AnswerPiece[] {
    const { index, delta, finish_reason, ...choice } = withoutFound(piece, OF_CHOICE, this.guards)
    const passed = finish_reason ? {} : this.#flowing(this.answerAt(index), delta)
    const whole = this.#wholeParts(delta)
    const released: AnswerDelta = { ...(delta.role && { role: delta.role }), ...whole, ...passed }
    const isEmpty = Object.keys(released).length === 0 && !finish_reason
    return isEmpty
      ? []
      : [{ ...choice, index, delta: released, finish_reason, ...(choice.logprobs && { logprobs: null }) }]
  }

  #flowing(answer: OpenAnswer, delta: AnswerDelta): AnswerDelta {
    const passed: AnswerDelta = {}
    for (const name of FLOWING) {
      const text = delta[name]
      if (typeof text !== 'string') continue
      const pass = this.passAt(answer, name)
      const released = pass ? this.guards.pass(pass, text) : text
      if (released !== '' || text === '') passed[name] = released
    }
    if (passed.reasoning_content !== undefined && delta.planStart) passed.planStart = delta.planStart
    if (hasOthers(delta)) answer.pieces.push(delta)
    return passed
  }

  /** What arrives whole, and stays where it is. */
  #wholeParts({ annotations, provider_content, placedBlocks, ...rest }: AnswerDelta): AnswerDelta {
    const whole: AnswerDelta = {
      ...(annotations && this.guards.answeredNow({ annotations })),
      ...(provider_content && withoutFound({ provider_content }, REPLACED, this.guards)),
    }
    const blocks = blocksIn({ placedBlocks, ...rest })
    if (blocks.length > 0 && this.guards.passesAsItIs({ provider_content: { type: 'placed', blocks } }))
      whole.placedBlocks = placedBlocks!
    return whole
  }
}

const WHOLE: ReadonlySet<string> = new Set([...FLOWING, 'role', 'annotations', 'provider_content', ...INTERNAL])

/** Whether a delta has parts that come in pieces and are no flowing texts. */
function hasOthers(delta: AnswerDelta): boolean {
  for (const name in delta) if (!WHOLE.has(name) && (delta as Record<string, unknown>)[name] != null) return true
  return false
}

/** Pieces put together: the calls of tools as whole calls, and texts of equal places as one text. */
function joined(pieces: readonly AnswerDelta[]): AnswerDelta[] {
  if (pieces.length === 0) return []
  const others = pieces.map((piece) => Object.fromEntries(Object.entries(piece).filter(([name]) => !WHOLE.has(name))))
  return [others.reduce<Record<string, unknown>>((whole, piece) => joinedValues(whole, piece), {})]
}

/** Fragments are joined as SDKs of clients do it: texts are appended, lists by the index of their entries. */
function joinedValues(whole: Record<string, unknown>, piece: Record<string, unknown>): Record<string, unknown> {
  const all = { ...whole }
  for (const [name, value] of Object.entries(piece)) all[name] = joinedValue(name, all[name], value)
  return all
}

const NOT_APPENDED: ReadonlySet<string> = new Set(['index', 'id', 'type', 'name', 'format', 'expires_at', 'signature'])

function joinedValue(name: string, before: unknown, value: unknown): unknown {
  if (before === undefined || before === null) return value
  if (value === null || value === undefined) return before
  if (typeof before === 'string' && typeof value === 'string')
    return NOT_APPENDED.has(name) ? value || before : before + value
  if (Array.isArray(before) && Array.isArray(value)) return joinedLists(before, value)
  return isRecord(before) && isRecord(value) ? joinedValues(before, value) : value
}

function joinedLists(before: readonly unknown[], added: readonly unknown[]): unknown[] {
  const list = [...before]
  for (const one of added) {
    const at =
      isRecord(one) && typeof one.index === 'number'
        ? list.findIndex((known) => isRecord(known) && known.index === one.index)
        : -1
    if (at < 0) list.push(one)
    else list[at] = joinedValues(list[at] as Record<string, unknown>, one as Record<string, unknown>)
  }
  return list
}

function hasContent({ choices }: AnswerChunk): boolean {
  return choices.some(({ delta, finish_reason }) => {
    const { role: _, ...content } = delta
    return Boolean(finish_reason) || Object.values(content).some((value) => value !== '' && value != null)
  })
}
