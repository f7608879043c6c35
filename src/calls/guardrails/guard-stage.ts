import { isDeepStrictEqual } from 'node:util'
import { omissionOf } from '../../translation/hooks/answers/provider-blocks.ts'
import { chunkLike, hasMetadata, type Stage, withoutWhole } from '../../translation/hooks/answers/stage.ts'
import {
  type Answer,
  type AnswerChoice,
  type AnswerChunk,
  type AnswerDelta,
  type AnswerPiece,
  blocksIn,
  Internal,
} from '../../translation/wire/answer.ts'
import type { ProviderContent } from '../../contract/provider-content.ts'
import { isRecord } from '../../base/schema/record.ts'
import type { Guards } from './guards.ts'
import { joinedPieces, splitTexts } from './joined-pieces.ts'
import type { TextPass } from './local-checks.ts'

// Guardrails on an answer: the canonical form of it, which answers in all formats pass.

/** Texts that are passed on while they arrive. */
const FLOWING = ['reasoning_content', 'content', 'refusal'] as const
type Flowing = (typeof FLOWING)[number]

/** Parts of a message whose texts can be replaced. The others pass as they are, or not at all. */
const REPLACED: ReadonlySet<string> = new Set([...FLOWING, 'tool_calls', 'function_call', 'annotations', 'role'])
/** Members of an answer that have no texts of the model: the gateway sets them, or leaves only identifiers and counts in them. */
const ENVELOPE: ReadonlySet<string> = new Set([
  ...['id', 'object', 'created', 'model', 'choices', 'usage', 'cost', 'provider', 'system_fingerprint'],
  ...['service_tier', 'gatehouse', 'edenai_metadata'],
])
/** Members of a choice that are looked at elsewhere, or that have no texts of the model: of a whole answer, and of a piece of one. */
const OF_CHOICE: ReadonlySet<string> = new Set(['index', 'message', 'finish_reason', 'logprobs'])
const OF_PIECE: ReadonlySet<string> = new Set([...OF_CHOICE, 'delta'])
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
    await guards.outsideAsItIs(without(choice, OF_CHOICE))
    const passed = { ...withoutFound(choice, OF_CHOICE, guards), message }
    // Probabilities name the tokens, also of what was replaced.
    choices.push(guards.enforces('output') && logprobs ? { ...passed, logprobs: null } : passed)
  }
  await guards.outsideAsItIs(without(answer, ENVELOPE))
  return { ...withoutFound(answer, ENVELOPE, guards), choices }
}

/** What is said beside the parts that are known. */
function without(whole: object, known: ReadonlySet<string>): object {
  return Object.fromEntries(Object.entries(whole).filter(([name]) => !known.has(name)))
}

/** What a chunk of a stream, and the pieces of answers in it, say beside the answers. */
export function asidesOf(chunk: AnswerChunk): object[] {
  const all = [without(chunk, ENVELOPE), ...chunk.choices.map((choice) => without(choice, OF_PIECE))]
  return all.filter((members) => Object.keys(members).length > 0)
}

async function guardedMessage<Message extends object>(message: Message, guards: Guards): Promise<Message> {
  const entries = Object.entries(message)
  const replaced = await guards.answered(Object.fromEntries(entries.filter(([name]) => REPLACED.has(name))))
  const others = Object.fromEntries(entries.filter(([name]) => !REPLACED.has(name)))
  await guards.outsideAsItIs(withoutAudio(others))
  return { ...withoutFound(message, REPLACED, guards), ...replaced }
}

/** Without the members in which something was found, except those that are looked at elsewhere. */
function withoutFound<Whole extends object>(whole: Whole, elsewhere: ReadonlySet<string>, guards: Guards): Whole {
  const kept = Object.entries(whole).flatMap(([name, value]) => {
    if (elsewhere.has(name) || !isRead(value)) return [[name, value]]
    if (guards.passesAsItIs(withoutAudio({ [name]: value }))) return [[name, value]]
    return name === 'provider_content' ? [[name, omissionOf(value as ProviderContent, 'guardrails')]] : []
  })
  const values = Object.values(whole)
  const isSame = kept.length === values.length && kept.every(([, value], at) => value === values[at])
  return isSame ? whole : Object.fromEntries(kept)
}

/** Not what only the gateway reads. */
function isRead(value: unknown): value is object | string {
  return typeof value === 'string' || (typeof value === 'object' && value !== null && !(value instanceof Internal))
}

/** Audio is bytes beside its transcript. */
function withoutAudio(members: Record<string, unknown>): Record<string, unknown> {
  if (!isRecord(members.audio)) return members
  const { data: _, ...texts } = members.audio
  return { ...members, audio: texts }
}

/** One answer on its way: the texts that flow, and the pieces that are checked when it ends. */
type OpenAnswer = { passes: Map<Flowing, TextPass | undefined>; pieces: AnswerDelta[]; asides: Asides }

abstract class StreamStage implements Stage {
  readonly changed = false
  protected readonly guards: Guards
  /** Of the chunks themselves. */
  protected readonly asides = new Asides()
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
    const opened: OpenAnswer = { passes: new Map(), pieces: [], asides: new Asides() }
    this.#answers.set(index, opened)
    return opened
  }

  /** The chunk without what it says beside its answers. */
  protected noteAsides(chunk: AnswerChunk): AnswerChunk {
    const [head, aside] = apart(chunk, ENVELOPE)
    if (aside) this.asides.add(aside)
    const choices = chunk.choices.map((choice) => {
      const [piece, beside] = apart(choice, OF_PIECE)
      if (beside) this.answerAt(choice.index).asides.add(beside)
      return piece
    })
    return { ...head, choices }
  }

  protected get allAsides(): Asides[] {
    return [this.asides, ...[...this.#answers.values()].map(({ asides }) => asides)]
  }

  protected passAt({ passes }: OpenAnswer, name: Flowing): TextPass | undefined {
    if (!passes.has(name)) passes.set(name, this.guards.local.open('output'))
    return passes.get(name)
  }
}

/** Nothing is kept from passing. */
class ReadingStage extends StreamStage {
  feed(chunks: AnswerChunk[]): AnswerChunk[] {
    for (const chunk of chunks) {
      this.noteAsides(chunk)
      for (const choice of chunk.choices) this.#read(choice)
    }
    return chunks
  }

  override async end(): Promise<AnswerChunk[]> {
    for (const asides of this.allAsides) asides.read(this.guards)
    return []
  }

  #read({ index, delta, finish_reason }: AnswerPiece): void {
    const answer = this.answerAt(index)
    for (const name of FLOWING) {
      const text = delta[name]
      const pass = typeof text === 'string' && text !== '' ? this.passAt(answer, name) : undefined
      if (pass) this.guards.local.pass(pass, text as string)
    }
    if (hasOthers(delta)) answer.pieces.push(othersOf(delta))
    if (!finish_reason) return
    for (const pass of answer.passes.values()) if (pass) this.guards.local.end(pass)
    this.guards.answeredNow(withoutAudio(joinedPieces(answer.pieces)))
    for (const text of splitTexts(answer.pieces)) this.guards.answeredNow({ content: text })
    answer.pieces = []
  }
}

/** Holds back what is undecided of texts; calls of tools, and what providers send in pieces beside texts, until the answer ends. */
class EnforcingStage extends StreamStage {
  /** What came before anything could pass: a call that is blocked before has no answer. */
  #opening: AnswerChunk[] | undefined = []
  #head: AnswerChunk | undefined

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
    return this.#head ? [...opening, ...this.#asidesLike(this.#head)] : opening
  }

  #chunk(chunk: AnswerChunk): AnswerChunk[] {
    const head = this.noteAsides(chunk)
    this.#head = head
    const ended = head.choices.filter(({ finish_reason }) => finish_reason)
    const released = ended.flatMap((piece) => this.#rest(piece)).map((piece) => chunkLike(head, [piece]))
    if (ended.length > 0) released.push(...this.#asidesLike(head))
    const choices = head.choices.flatMap((choice) => this.#piece(withoutWhole(choice)))
    if (choices.length > 0 || chunk.choices.length === 0 || hasMetadata(chunk))
      return [...released, { ...head, choices }]
    return released
  }

  #asidesLike(head: AnswerChunk): AnswerChunk[] {
    return this.asides.take(this.guards).map((members) => ({ ...members, ...chunkLike(head, []) }))
  }

  /** What is left when an answer ends: its last delta is a part of it. */
  #rest({ index, delta }: AnswerPiece): AnswerPiece[] {
    const answer = this.answerAt(index)
    const rest: AnswerDelta[] = []
    for (const name of FLOWING) {
      const text = delta[name]
      const pass = text || answer.passes.has(name) ? this.passAt(answer, name) : undefined
      const left = pass ? this.guards.local.pass(pass, text ?? '') + this.guards.local.end(pass) : (text ?? '')
      if (left !== '') rest.push({ [name]: left })
    }
    if (hasOthers(delta)) answer.pieces.push(othersOf(delta))
    rest.push(this.#joined(answer.pieces))
    answer.pieces = []
    answer.passes = new Map()
    const open = { index, delta: {}, finish_reason: null }
    const beside = answer.asides.take(this.guards).map((members) => ({ ...members, ...open }))
    const filled = rest.filter((piece) => Object.keys(piece).length > 0)
    return [...filled.map((delta) => ({ ...open, delta })), ...beside]
  }

  #joined(pieces: readonly AnswerDelta[]): AnswerDelta {
    const { tool_calls, function_call, ...others }: AnswerDelta = joinedPieces(pieces)
    const calls = this.guards.answeredNow({
      ...(tool_calls && { tool_calls }),
      ...(function_call && { function_call }),
    })
    const left = withoutFound(others, REPLACED, this.guards)
    const whole = Object.entries(left).filter(([name]) => passesInPieces(name, pieces, this.guards))
    return { ...Object.fromEntries(whole), ...calls }
  }

  #piece(piece: AnswerPiece): AnswerPiece[] {
    const { index, delta, finish_reason, ...choice } = piece
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
      const released = pass ? this.guards.local.pass(pass, text) : text
      if (released !== '' || text === '') passed[name] = released
    }
    if (passed.reasoning_content !== undefined && delta.planStart instanceof Internal)
      passed.planStart = delta.planStart
    if (hasOthers(delta)) answer.pieces.push(othersOf(delta))
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

/** What a chunk, or a piece of an answer in it, says beside the answer: in pieces, too, so that it waits until the answer ends. */
class Asides {
  readonly #all: Record<string, unknown>[] = []
  readonly #latest = new Map<string, unknown>()
  #passed = 0

  /** What is said again counts once. */
  add(members: Record<string, unknown>): void {
    const news = Object.entries(members).filter(([name, value]) => !isDeepStrictEqual(value, this.#latest.get(name)))
    for (const [name, value] of news) this.#latest.set(name, value)
    if (news.length > 0) this.#all.push(Object.fromEntries(news))
  }

  /** Only reports what is found. */
  read(guards: Guards): void {
    guards.answeredNow(joinedPieces(this.#all))
    for (const text of splitTexts(this.#all)) guards.answeredNow({ content: text })
  }

  /** What came since the last time, without members in which something is found, in one piece or in all together. */
  take(guards: Guards): Record<string, unknown>[] {
    const fresh = this.#all.slice(this.#passed)
    if (fresh.length === 0) return []
    this.#passed = this.#all.length
    const whole = withoutFound(joinedPieces(this.#all), NONE, guards)
    const left = fresh
      .map((members) => withoutFound(members, NONE, guards))
      .map((members) => {
        const kept = Object.entries(members).filter(
          ([name]) => name in whole && passesInPieces(name, this.#all, guards),
        )
        return Object.fromEntries(kept)
      })
    return left.filter((members) => Object.keys(members).length > 0)
  }
}

const NONE: ReadonlySet<string> = new Set()

/** What is known of it, and the other members. */
function apart<Whole extends object>(
  whole: Whole,
  known: ReadonlySet<string>,
): [Whole, Record<string, unknown> | undefined] {
  let aside: Record<string, unknown> | undefined
  for (const name in whole) {
    const value: unknown = whole[name]
    if (known.has(name) || value instanceof Internal || value === null || value === undefined) continue
    aside ??= {}
    aside[name] = value
  }
  if (!aside) return [whole, undefined]
  const others = Object.entries(whole).filter(([name]) => !Object.hasOwn(aside, name))
  return [Object.fromEntries(others) as Whole, aside]
}

function passesInPieces(name: string, pieces: readonly object[], guards: Guards): boolean {
  const own = pieces.flatMap((piece) => (name in piece ? [{ [name]: Reflect.get(piece, name) }] : []))
  return splitTexts(own).every((text) => guards.passesAsItIs({ content: text }))
}

const WHOLE: ReadonlySet<string> = new Set([...FLOWING, 'role', 'annotations', 'provider_content'])

/** Whether a delta has parts that come in pieces and are no flowing texts. */
function hasOthers(delta: AnswerDelta): boolean {
  for (const name in delta) if (isPiece(name, (delta as Record<string, unknown>)[name])) return true
  return false
}

function othersOf(delta: AnswerDelta): AnswerDelta {
  return Object.fromEntries(Object.entries(delta).filter(([name, value]) => isPiece(name, value)))
}

function isPiece(name: string, value: unknown): boolean {
  return !WHOLE.has(name) && value != null && !(value instanceof Internal)
}

function hasContent({ choices }: AnswerChunk): boolean {
  return choices.some(({ delta, finish_reason }) => {
    const { role: _, ...content } = delta
    return Boolean(finish_reason) || Object.values(content).some((value) => value !== '' && value != null)
  })
}
