import type { ChatChunk, ChatCompletion, Choice, ChunkChoice, Delta } from '../../contract/chat-reply.ts'
import type { Place, TextFilter } from '../hook.ts'
import { deltaWith, mapTexts, type TextName } from './map-texts.ts'
import { chunkLike, type Stage, tellsMore } from './stage.ts'

type Open = (place: Place) => TextFilter | undefined
/** Changes a text that is there as a whole. */
type ChangeWhole = (text: string, place: Place) => Promise<string>
type OpenFilter = { where: TextName; filter: TextFilter | undefined }

/**
 * Passes every text of every answer through a filter of its own. What a filter keeps back follows before the chunk that
 * ends the answer. Probabilities of tokens are left out: they would show what the filter hides.
 */
export function filterStage(open: Open, changeWhole?: ChangeWhole): Stage {
  const answers = new Map<number, Map<string, OpenFilter>>()
  let changed = false
  let last: ChatChunk | undefined
  return {
    whole: filterWhole,
    feed: (chunks) => chunks.flatMap(filterChunk),
    end: async () => (last ? [...answers.keys()].flatMap((index) => rest(last!, index)) : []),
    get changed() {
      return changed
    },
  }

  async function filterWhole(completion: ChatCompletion): Promise<ChatCompletion> {
    const choices: Choice[] = []
    for (const choice of completion.choices) choices.push(await filterMessage(choice))
    return { ...completion, choices }
  }

  async function filterMessage(choice: Choice): Promise<Choice> {
    const texts = new Map<string, { text: string; place: Place }>()
    mapTexts(choice.message, (text, { place, name }) => {
      texts.set(name, { text, place })
      return text
    })
    const after = new Map<string, string>()
    for (const [name, { text, place }] of texts) after.set(name, await (changeWhole ?? filterText)(text, place))
    const message = mapTexts(choice.message, (text, { name }) => after.get(name) ?? text)
    changed ||= message !== choice.message
    return withoutLogprobs({ ...choice, message })
  }

  async function filterText(text: string, place: Place): Promise<string> {
    return finish({ where: { place, name: place }, filter: open(place) }, text)
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
function withoutEmpty(passed: Delta, options: Delta): Delta {
  const kept = { ...passed }
  for (const place of ['content', 'reasoning_content', 'refusal'] as const) {
    if (kept[place] === '' && options[place] !== '') delete kept[place]
  }
  return kept
}

function withoutLogprobs<One extends Choice | ChunkChoice>(choice: One): One {
  return choice.logprobs ? { ...choice, logprobs: null } : choice
}
