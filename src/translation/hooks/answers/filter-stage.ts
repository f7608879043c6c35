import type { Answer, AnswerChoice, AnswerChunk, AnswerDelta, AnswerPiece } from '../../wire/answer.ts'
import type { AnswerPart, TextFilter } from '../hook.ts'
import { deltaWith, mapTexts, type TextName } from './map-texts.ts'
import { hasBlocks, withoutBlocks } from './provider-blocks.ts'
import { chunkLike, dropText, hasMetadata, type Stage, withoutWhole } from './stage.ts'

type OpenFilterFor = (part: AnswerPart) => TextFilter | undefined
/** Changes a text that is already complete. */
type ChangeWhole = (text: string, part: AnswerPart) => Promise<string>
type OpenFilter = { where: TextName; filter: TextFilter | undefined }

/**
 * Passes every text of every answer through a filter of its own. Text that a filter still holds back is sent before the chunk
 * that ends the answer. Token probabilities are removed because they would reveal what the filter hides.
 */
export function filterStage(open: OpenFilterFor, changeWhole?: ChangeWhole): Stage {
  return new FilterStage(open, changeWhole)
}

class FilterStage implements Stage {
  changed = false
  readonly #open: OpenFilterFor
  readonly #changeWhole: ChangeWhole
  /** The filters of each answer, by the index of the answer and the name of the text. */
  readonly #answers = new Map<number, Map<string, OpenFilter>>()
  #lastChunk: AnswerChunk | undefined

  constructor(open: OpenFilterFor, changeWhole?: ChangeWhole) {
    this.#open = open
    this.#changeWhole = changeWhole ?? (async (text, part) => this.#filterText(text, part))
  }

  async whole(completion: Answer): Promise<Answer> {
    const choices: AnswerChoice[] = []
    for (const choice of completion.choices) choices.push(await this.#filterMessage(choice))
    return { ...completion, choices }
  }

  feed(chunks: AnswerChunk[]): AnswerChunk[] {
    return chunks.flatMap((chunk) => this.#filterChunk(chunk))
  }

  async end(): Promise<AnswerChunk[]> {
    const last = this.#lastChunk
    return last ? [...this.#answers.keys()].flatMap((index) => this.#heldBack(last, index)) : []
  }

  async #filterMessage(choice: AnswerChoice): Promise<AnswerChoice> {
    const changedTexts = new Map<string, string>()
    for (const { text, part, name } of textsIn(choice.message))
      changedTexts.set(name, await this.#changeWhole(text, part))
    const message = mapTexts(choice.message, (text, { name }) => changedTexts.get(name) ?? text)
    this.changed ||= message !== choice.message
    return withoutLogprobs({ ...choice, message: withoutBlocks(message) })
  }

  #filterText(text: string, part: AnswerPart): string {
    return this.#finish({ where: { part, name: part }, filter: this.#open(part) }, text)
  }

  #filterChunk(chunk: AnswerChunk): AnswerChunk[] {
    this.#lastChunk = chunk
    const before = chunk.choices.flatMap(({ index, delta, finish_reason }) => {
      return finish_reason ? this.#heldBack(chunk, index, delta) : []
    })
    const choices = chunk.choices.flatMap((choice) => this.#filterChoice(withoutWhole(choice)))
    if (choices.length > 0 || chunk.choices.length === 0) return [...before, { ...chunk, choices }]
    return hasMetadata(chunk) ? [...before, { ...chunk, choices: chunk.choices.map(emptied) }] : before
  }

  #filterChoice(choice: AnswerPiece): AnswerPiece[] {
    const { index, delta, finish_reason } = choice
    const filtered = mapTexts(delta, (text, where) => {
      const open = this.#filterAt(index, where)
      return finish_reason ? this.#finish(open, text) : (open.filter?.push(text) ?? text)
    })
    if (finish_reason) this.#answers.delete(index)
    if (filtered === delta && !hasBlocks(delta)) return [withoutLogprobs(choice)]
    const remaining = withoutBlocks(withoutEmptied(filtered, delta))
    const isEmpty = Object.keys(remaining).length === 0 && !finish_reason
    return isEmpty ? [] : [withoutLogprobs({ ...choice, delta: remaining })]
  }

  /** The text that filters still hold, except for texts that this last delta continues. */
  #heldBack(chunk: AnswerChunk, index: number, delta: AnswerDelta = {}): AnswerChunk[] {
    const continued = new Set(textsIn(delta).map(({ name }) => name))
    const filters = this.#answers.get(index) ?? new Map<string, OpenFilter>()
    const ended = [...filters.values()].filter(({ where }) => !continued.has(where.name))
    return ended.flatMap((open) => {
      const text = this.#finish(open, '')
      filters.delete(open.where.name)
      return text === '' ? [] : [chunkLike(chunk, [{ index, delta: deltaWith(open.where, text), finish_reason: null }])]
    })
  }

  #finish({ filter }: OpenFilter, text: string): string {
    if (!filter) return text
    const filtered = filter.push(text) + filter.end()
    this.changed ||= filter.changed
    return filtered
  }

  #filterAt(index: number, where: TextName): OpenFilter {
    const filters = this.#answers.get(index) ?? new Map<string, OpenFilter>()
    this.#answers.set(index, filters)
    const open = filters.get(where.name) ?? { where, filter: this.#open(where.part) }
    filters.set(where.name, open)
    return open
  }
}

function textsIn(fields: Parameters<typeof mapTexts>[0]): (TextName & { text: string })[] {
  const texts: (TextName & { text: string })[] = []
  mapTexts(fields, (text, where) => {
    texts.push({ ...where, text })
    return text
  })
  return texts
}

function emptied({ index }: AnswerPiece): AnswerPiece {
  return { index, delta: {}, finish_reason: null }
}

/** Drops the texts that the filter held back completely. */
function withoutEmptied(filtered: AnswerDelta, original: AnswerDelta): AnswerDelta {
  const delta = { ...filtered }
  for (const part of ['content', 'reasoning_content', 'refusal'] as const) {
    if (delta[part] === '' && original[part] !== '') dropText(delta, part)
  }
  return delta
}

function withoutLogprobs<One extends AnswerChoice | AnswerPiece>(choice: One): One {
  return choice.logprobs ? { ...choice, logprobs: null } : choice
}
