// Assembles a streamed reply as a client does, so that tests can compare it with a whole one.

type Fields = Record<string, unknown>
type Choice = { index: number; message: Fields; logprobs: unknown; finish_reason: string | null }

/** The `chat.completion` that these chunks add up to, as they are sent. Throws if they violate the grammar. */
export function foldChunks(unsent: readonly object[]): Fields {
  const chunks = JSON.parse(JSON.stringify(unsent)) as Fields[]
  const [first, ...rest] = chunks
  if (!first) throw new Error('a stream without chunks')
  const { choices: _, usage: __, ...head } = first
  for (const chunk of rest) sameHead(head, chunk)
  const choices = chunks.reduce<Choice[]>(addChunk, [])
  const { usage } = chunks.findLast((chunk) => chunk.usage) ?? {}
  return { ...head, object: 'chat.completion', choices, ...(usage ? { usage } : {}) }
}

/** Only the messages of its choices. */
export function messagesOf(chunks: readonly object[]): unknown[] {
  return (foldChunks(chunks).choices as Choice[]).map(({ message }) => message)
}

function sameHead(head: Fields, chunk: Fields): void {
  for (const key of ['id', 'created', 'model', 'object']) {
    if (chunk[key] !== head[key]) throw new Error(`${key} changed in the middle of the stream`)
  }
}

function addChunk(choices: Choice[], { choices: changes }: Fields): Choice[] {
  for (const { index, delta, logprobs, finish_reason } of changes as (Choice & { delta: Fields })[]) {
    choices[index] ??= { index, message: {}, logprobs, finish_reason: null }
    const choice = choices[index]
    if (choice.finish_reason) throw new Error(`choice ${index} goes on after its finish_reason`)
    choice.message = merge(choice.message, delta)
    choice.finish_reason = finish_reason
  }
  return choices
}

function merge(message: Fields, delta: Fields): Fields {
  const merged = { ...message }
  for (const [key, value] of Object.entries(delta)) merged[key] = mergeField(key, message[key], value)
  return merged
}

function mergeField(key: string, before: unknown, value: unknown): unknown {
  if (key === 'tool_calls') return mergeCalls((before ?? []) as Fields[], value as Fields[])
  if (typeof before === 'string' && typeof value === 'string') return before + value
  if (isFields(before) && isFields(value)) return merge(before, value)
  return value ?? before ?? null
}

function mergeCalls(calls: Fields[], changes: Fields[]): Fields[] {
  const merged = [...calls]
  for (const { index, ...change } of changes) {
    const at = index as number
    if (at > merged.length) throw new Error(`tool call ${at} comes before ${merged.length}`)
    if (merged[at] && 'id' in change) throw new Error(`tool call ${at} has two ids`)
    merged[at] = merge(merged[at] ?? {}, change)
  }
  return merged
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}
