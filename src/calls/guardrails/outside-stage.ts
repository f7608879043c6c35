import type { CheckedText } from '../../translation/guardrails/check.ts'
import { chunkLike } from '../../translation/hooks/answers/stage.ts'
import type { AnswerChunk, AnswerDelta, AnswerPiece } from '../../translation/wire/answer.ts'
import { guardedMessage, OUTPUT } from './guarded-texts.ts'
import { asidesOf } from './guard-stage.ts'
import type { Guards } from './guards.ts'
import { joinedPieces, splitTexts } from './joined-pieces.ts'

// Services and models look at a stream in windows, behind the checks inside of the gateway: a text is released when the window that it
// is in, and what follows it closely, has been judged.

/** A window is sent when it has this many new characters, or a sentence ends after half of them. */
const WINDOW_CHARS = 400
const SENTENCE_ENDS = '.!?\u3002\uff01\uff1f'
const CLOSING = `"')]`
/** The end of a window is sent again with the next one, so that nothing hides in the cut between them. */
const OVERLAP_CHARS = 120
/** A service may want more of the end to wait, but not without end. */
const MAX_HOLDBACK_CHARS = 2_000

const FLOWING = ['reasoning_content', 'content', 'refusal'] as const
type Flowing = (typeof FLOWING)[number]

/** `left`: the end of the text that was judged before. `fresh`: what came since then. */
type OpenText = { left: string; fresh: string }

export class OutsideStage {
  readonly #guards: Guards
  readonly #holds: boolean
  /** Otherwise only calls of tools are looked at, and texts pass at once. */
  readonly #readsTexts: boolean
  readonly #texts = new Map<number, Map<Flowing, OpenText>>()
  /** What came before anything could pass: a call that is blocked before has no answer. */
  #opening: AnswerChunk[] | undefined = []
  #seen: CheckedText[] = []
  /** Of each answer, what comes in pieces beside its texts, if it passes at once. */
  readonly #pieces = new Map<number, AnswerDelta[]>()
  readonly #asideMembers: object[] = []

  constructor(guards: Guards) {
    this.#guards = guards
    this.#holds = guards.enforces('output')
    this.#readsTexts = guards.services.lookAt('output')
  }

  /** What can be passed on now. If nothing is enforced, everything passes at once, and is looked at when the answer ends. */
  async feed(chunks: readonly AnswerChunk[]): Promise<AnswerChunk[]> {
    await this.#asides(chunks.flatMap(asidesOf))
    const passed: AnswerChunk[] = []
    for (const chunk of chunks) passed.push(...(await this.#chunk(chunk)))
    if (!this.#holds || !this.#opening) return passed
    this.#opening.push(...passed)
    if (!passed.some(({ choices }) => choices.some(hasContent))) return []
    const opening = this.#opening
    this.#opening = undefined
    return opening
  }

  async end(): Promise<AnswerChunk[]> {
    this.#keepPieces()
    if (!this.#holds) this.#seen.push(...guardedMessage(joinedPieces(this.#asideMembers), OUTPUT).texts)
    if (this.#seen.length > 0) await this.#guards.services.texts(this.#seen)
    const opening = this.#holds ? (this.#opening ?? []) : []
    this.#opening = undefined
    return opening
  }

  async #chunk(chunk: AnswerChunk): Promise<AnswerChunk[]> {
    const before: AnswerChunk[] = []
    const choices: AnswerPiece[] = []
    for (const choice of chunk.choices) {
      const { released, rest } = await this.#piece(choice)
      for (const delta of released) before.push(chunkLike(chunk, [{ index: choice.index, delta, finish_reason: null }]))
      if (rest) choices.push(rest)
    }
    const isEmpty = choices.length === 0 && chunk.choices.length > 0 && !chunk.provider && !chunk.gatehouse
    return isEmpty ? before : [...before, { ...chunk, choices }]
  }

  /** `released` goes before the rest of the chunk. */
  async #piece(choice: AnswerPiece): Promise<{ released: AnswerDelta[]; rest: AnswerPiece | undefined }> {
    const { index, delta, finish_reason } = choice
    const texts = this.#textsAt(index)
    const other: AnswerDelta = { ...delta }
    for (const name of this.#readsTexts ? FLOWING : []) {
      const text = delta[name]
      if (typeof text !== 'string' || text === '') continue
      this.#add(texts, name, text)
      if (this.#holds) delete other[name]
    }
    if (!this.#holds) {
      if (finish_reason) this.#keepAll(texts)
      this.#keepPiece(index, delta)
      return { released: [], rest: choice }
    }
    const released: AnswerDelta[] = []
    for (const [name, text] of texts) {
      const passed = await this.#window(text, Boolean(finish_reason))
      if (passed !== '') released.push({ [name]: passed })
    }
    const rest = await this.#others(other)
    const isEmpty = Object.keys(rest).length === 0 && !finish_reason
    return { released, rest: isEmpty ? undefined : { ...choice, delta: rest } }
  }

  /** What is said beside the answers comes when they end, and is blocked where it would be redacted. */
  async #asides(asides: readonly object[]): Promise<void> {
    if (asides.length === 0) return
    this.#asideMembers.push(...asides)
    if (!this.#holds) return
    await this.#guards.outsideAsItIs(joinedPieces(this.#asideMembers))
    for (const text of splitTexts(this.#asideMembers)) await this.#guards.outsideAsItIs({ content: text })
  }

  #textsAt(index: number): Map<Flowing, OpenText> {
    const texts = this.#texts.get(index) ?? new Map<Flowing, OpenText>()
    this.#texts.set(index, texts)
    return texts
  }

  #add(texts: Map<Flowing, OpenText>, name: Flowing, text: string): void {
    const open = texts.get(name) ?? { left: '', fresh: '' }
    open.fresh += text
    texts.set(name, open)
  }

  #keepAll(texts: Map<Flowing, OpenText>): void {
    for (const { fresh } of texts.values()) this.#seen.push({ text: fresh, phase: 'output' })
    texts.clear()
  }

  /** What a window releases; nothing if it is not full. */
  async #window(open: OpenText, isLast: boolean): Promise<string> {
    const { fresh } = open
    const isFull = fresh.length >= WINDOW_CHARS || (fresh.length >= WINDOW_CHARS / 2 && endsSentence(fresh))
    if (!isLast && !isFull) return ''
    const text = open.left + fresh
    if (text === '') return ''
    let held = OVERLAP_CHARS
    const holds = (chars: number) => (held = Math.max(held, Math.min(chars, MAX_HOLDBACK_CHARS)))
    const [checked] = await this.#guards.services.texts([{ text, phase: 'output' }], holds)
    const passed = checked!.text
    const until = isLast ? passed.length : cutBefore(passed, passed.length - held)
    open.left = passed.slice(until)
    open.fresh = ''
    return passed.slice(0, until)
  }

  #keepPiece(index: number, delta: AnswerDelta): void {
    const { content: _, reasoning_content: __, refusal: ___, role: ____, ...others } = delta
    if (Object.keys(others).length === 0) return
    const pieces = this.#pieces.get(index) ?? []
    this.#pieces.set(index, pieces)
    pieces.push(others)
  }

  #keepPieces(): void {
    for (const pieces of this.#pieces.values()) {
      const split = splitTexts(pieces).map((text): CheckedText => ({ text, phase: 'output' }))
      this.#seen.push(...guardedMessage(joinedPieces(pieces), OUTPUT).texts, ...split)
    }
    this.#pieces.clear()
  }

  /** Calls of tools come whole. Of what else a provider sends beside its texts, only what can be replaced is. */
  async #others(delta: AnswerDelta): Promise<AnswerDelta> {
    const { role: _, ...others } = delta
    if (Object.keys(others).length === 0) return delta
    const guarded = guardedMessage(delta, OUTPUT)
    if (guarded.texts.length === 0) return delta
    const checked = await this.#guards.services.texts(guarded.texts)
    const isSame = checked.every(({ text }, at) => text === guarded.texts[at]!.text)
    return isSame ? delta : guarded.with(checked.map(({ text }) => text))
  }
}

/** Not inside of a character, nor of a placeholder. */
function cutBefore(text: string, at: number): number {
  if (at <= 0) return 0
  const begun = text.lastIndexOf('[', at)
  const end = text.indexOf(']', begun)
  const outside = begun >= 0 && end >= at && end - begun < OVERLAP_CHARS ? begun : at
  return (text.charCodeAt(outside) & 0xfc00) === 0xdc00 ? outside - 1 : outside
}

function endsSentence(text: string): boolean {
  const trimmed = text.trimEnd()
  if (text.includes('\n', trimmed.length)) return true
  const last = CLOSING.includes(trimmed.at(-1) ?? ' ') ? trimmed.at(-2) : trimmed.at(-1)
  return last !== undefined && SENTENCE_ENDS.includes(last)
}

function hasContent({ delta, finish_reason }: AnswerPiece): boolean {
  const { role: _, ...content } = delta
  return Boolean(finish_reason) || Object.values(content).some((value) => value !== '' && value != null)
}
