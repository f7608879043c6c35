import type { ChatChunk, ChatCompletion, Choice, ChunkChoice, Delta } from '../../contract/chat-reply.ts'
import type { Place, TextFilter } from '../hook.ts'
import { deltaWith, mapTexts, type TextName } from './map-texts.ts'
import { chunkLike, type Stage, tellsMore } from './stage.ts'

type Open = (place: Place) => TextFilter | undefined
type OpenFilter = { where: TextName; filter: TextFilter | undefined }

/**
 * Passes every text of every answer through a filter of its own. What a filter keeps back follows before the chunk that
 * ends the answer. Probabilities of tokens are left out: they would show what the filter hides.
 */
export function filterStage(open: Open): Stage {
  const answers = new Map<number, Map<string, OpenFilter>>()
  let changed = false
  let last: ChatChunk | undefined
  return {
    whole: async (completion) => filterWhole(completion),
    feed: (chunks) => chunks.flatMap(filterChunk),
    end: async () => (last ? [...answers.keys()].flatMap((index) => rest(last!, index)) : []),
    get changed() {
      return changed
    },
  }

  function filterWhole(completion: ChatCompletion): ChatCompletion {
    const choices = completion.choices.map((choice): Choice => {
      const message = mapTexts(choice.message, (text, where) => finish({ where, filter: open(where.place) }, text))
      return withoutLogprobs({ ...choice, message })
    })
    return { ...completion, choices }
  }

  function filterChunk(chunk: ChatChunk): ChatChunk[] {
    last = chunk
    const before = chunk.choices.flatMap(({ index, delta, finish_reason }) => {
      return finish_reason ? rest(chunk, index, delta) : []
    })
    const choices = chunk.choices.flatMap((choice) => filterChoice(choice))
    if (choices.length > 0 || chunk.choices.length === 0) return [...before, { ...chunk, choices }]
    return tellsMore(chunk) ? [...before, { ...chunk, choices: chunk.choices.map(emptied) }] : before
  }

  function filterChoice(choice: ChunkChoice): ChunkChoice[] {
    const { index, delta, finish_reason } = choice
    const passed = mapTexts(delta, (text, where) => {
      const one = filterAt(index, where)
      return finish_reason ? finish(one, text) : (one.filter?.push(text) ?? text)
    })
    if (finish_reason) answers.delete(index)
    const bare = passed === delta ? delta : withoutEmpty(passed, delta)
    return Object.keys(bare).length === 0 && !finish_reason && passed !== delta
      ? []
      : [withoutLogprobs({ ...choice, delta: bare })]
  }

  /** What is still held of the texts that this last piece does not go on with. */
  function rest(chunk: ChatChunk, index: number, delta: Delta = {}): ChatChunk[] {
    const goesOn = new Set<string>()
    mapTexts(delta, (text, { name }) => {
      goesOn.add(name)
      return text
    })
    const held = [...(answers.get(index)?.values() ?? [])].filter(({ where }) => !goesOn.has(where.name))
    return held.flatMap((one) => {
      const text = finish(one, '')
      answers.get(index)?.delete(one.where.name)
      return text === '' ? [] : [chunkLike(chunk, [{ index, delta: deltaWith(one.where, text), finish_reason: null }])]
    })
  }

  function finish({ filter }: OpenFilter, text: string): string {
    if (!filter) return text
    const passed = filter.push(text) + filter.end()
    changed ||= filter.changed
    return passed
  }

  function filterAt(index: number, where: TextName): OpenFilter {
    const filters = answers.get(index) ?? new Map<string, OpenFilter>()
    answers.set(index, filters)
    const known = filters.get(where.name) ?? { where, filter: open(where.place) }
    filters.set(where.name, known)
    return known
  }
}

function emptied({ index }: ChunkChoice): ChunkChoice {
  return { index, delta: {}, finish_reason: null }
}

/** Drops texts of which nothing was passed on. */
function withoutEmpty(passed: Delta, given: Delta): Delta {
  const kept = { ...passed }
  for (const place of ['content', 'reasoning_content', 'refusal'] as const) {
    if (kept[place] === '' && given[place] !== '') delete kept[place]
  }
  return kept
}

function withoutLogprobs<One extends Choice | ChunkChoice>(choice: One): One {
  return choice.logprobs ? { ...choice, logprobs: null } : choice
}
