// Chunk lists as OpenAI really sends them: role first, deltas, a finish per choice, usage last. `[DONE]` is not among them:
// it belongs to the end of a stream (see `stream`).

export type Chunk = { choices: ChunkChoice[]; usage?: Usage | null; [field: string]: unknown }
type ChunkChoice = {
  index: number
  delta: Record<string, unknown>
  finish_reason: string | null
  logprobs: null
}
export type Usage = { prompt_tokens: number; completion_tokens: number; total_tokens: number; [field: string]: unknown }
type ToolCall = { id: string; name: string; arguments: string }
type EventOptions = { id?: string; model?: string; created?: number; usage?: Usage | null; finish?: string }

export const SOME_USAGE: Usage = { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 }

const FRAGMENT_CHARACTERS = 6

export function textEvents(text: string, options: EventOptions = {}): Chunk[] {
  return conversation([contentDeltas(text)], 'stop', options)
}

/** DeepSeek and similar providers send reasoning as `reasoning_content`, before the content. */
export function reasoningEvents(reasoning: string, text: string, options: EventOptions = {}): Chunk[] {
  const reasoningParts = words(reasoning).map((reasoning_content) => ({ reasoning_content, content: null }))
  return conversation([[...reasoningParts, ...contentDeltas(text)]], 'stop', options)
}

/** Several calls come one after the other, each with its own index. */
export function toolEvents(calls: ToolCall[], options: EventOptions = {}): Chunk[] {
  return conversation([calls.flatMap(callDeltas)], 'tool_calls', options)
}

/** One text per choice, the choices taking turns, shorter ones finishing earlier. */
export function interleavedChoices(texts: number | string[], options: EventOptions = {}): Chunk[] {
  const all =
    typeof texts === 'number' ? Array.from({ length: texts }, (_, index) => `This is choice ${index}.`) : texts
  return conversation(all.map(contentDeltas), 'stop', options)
}

export function usageChunk(usage: Usage = SOME_USAGE, options: EventOptions = {}): Chunk {
  return { ...envelope(options), choices: [], usage }
}

type Delta = Record<string, unknown>

function conversation(choices: Delta[][], finish: string, options: EventOptions): Chunk[] {
  const { usage = SOME_USAGE } = options
  const lanes = choices.map((deltas, index) => [
    chunk(options, index, { role: 'assistant', content: '', refusal: null }),
    ...deltas.map((delta) => chunk(options, index, delta)),
    chunk(options, index, {}, options.finish ?? finish),
  ])
  return usage ? [...takingTurns(lanes), usageChunk(usage, options)] : takingTurns(lanes)
}

function chunk(options: EventOptions, index: number, delta: Delta, finish_reason: string | null = null): Chunk {
  const choices = [{ index, delta, logprobs: null, finish_reason }]
  const head = { ...envelope(options), choices }
  return options.usage === null ? head : { ...head, usage: null }
}

function envelope({ id = 'chatcmpl-fake', model = 'fake-model', created = 1_750_000_000 }: EventOptions) {
  return { id, object: 'chat.completion.chunk', created, model, service_tier: 'default', system_fingerprint: 'fp_fake' }
}

function takingTurns<Item>(lanes: Item[][]): Item[] {
  const longest = Math.max(0, ...lanes.map((lane) => lane.length))
  return Array.from({ length: longest }, (_, turn) => lanes.flatMap((lane) => lane.slice(turn, turn + 1))).flat()
}

function contentDeltas(text: string): Delta[] {
  return words(text).map((content) => ({ content }))
}

function words(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? []
}

function callDeltas({ id, name, arguments: handed }: ToolCall, index: number): Delta[] {
  const opening = { index, id, type: 'function', function: { name, arguments: '' } }
  const pieces = handed.match(new RegExp(`[\\s\\S]{1,${FRAGMENT_CHARACTERS}}`, 'gu')) ?? []
  const fragments = pieces.map((piece) => ({ index, function: { arguments: piece } }))
  return [opening, ...fragments].map((call) => ({ tool_calls: [call] }))
}
