import { signal } from '@preact/signals'
import type { ChatChunk, ToolCallFragment } from '../../../../src/contract/chat-reply.ts'
import { ApiError, type Posted } from '../../../api/client.ts'
import { postForEvents } from '../../../api/event-stream.ts'
import type { Who } from '../who/who-fields.tsx'
import { type Answer, bodyFor, type ChatSettings, NO_SETTINGS, newAnswer } from './chat-body.ts'
import type { Prompt, ToolCall, Turn } from './chat-body.ts'

// The conversation with some models at once. Each of them knows its own answers only. It stays in the memory of the page, so it
// is still there after a look at another screen.

type Event = Partial<ChatChunk> & { error?: { message: string; code?: string | null } }

/** `who` says which project pays. */
type Asked = { models: readonly string[]; prompt: Prompt; who: Who }

export const turns = signal<readonly Turn[]>([])
export const settings = signal<ChatSettings>(NO_SETTINGS)

/** How often what arrives is drawn. Models are faster than people read. */
const DRAW_MS = 50
let lastId = 0
let ending = new AbortController()

export function isRunning(): boolean {
  return turns.value.some(({ answers }) => answers.some(({ state }) => state === 'running'))
}

export function send({ models, prompt, who }: Asked): void {
  ending = new AbortController()
  const turn = { id: ++lastId, prompt, answers: models.map(newAnswer) }
  turns.value = [...turns.value, turn]
  for (const column of models.keys()) ask(turn.id, column, who)
}

/** Instead of a message and of everything that came after it. */
export function sendInstead(at: number, asked: Asked): void {
  stop()
  turns.value = turns.value.slice(0, at)
  send(asked)
}

/** Asks one model once more. What came after its answer was about the old one. */
export function retry(at: number, column: number, who: Who): void {
  if (ending.signal.aborted) ending = new AbortController()
  const turn = turns.value[at]!
  const again = { ...turn, answers: turn.answers.with(column, newAnswer(turn.answers[column]!.model)) }
  turns.value = [...turns.value.slice(0, at), again]
  ask(turn.id, column, who)
}

export function stop(): void {
  ending.abort()
}

export function reset(): void {
  stop()
  turns.value = []
}

/** Of the newest turn: what a tool answers to a call of a model. */
export function setResult(column: number, call: number, result: string): void {
  const turn = turns.value.at(-1)!
  const answer = turn.answers[column]!
  put(turn.id, column, { ...answer, calls: answer.calls.with(call, { ...answer.calls[call]!, result }) })
}

function put(id: number, column: number, answer: Answer): void {
  turns.value = turns.value.map((turn) =>
    turn.id === id ? { ...turn, answers: turn.answers.with(column, answer) } : turn,
  )
}

const PATH = '/admin/playground/chat/completions'

function ask(id: number, column: number, who: Who): void {
  const at = turns.value.findIndex((turn) => turn.id === id)
  const asked = turns.value[at]!.answers[column]!
  const body = bodyFor(asked.model, settings.value, turns.value.slice(0, at + 1), column)
  void read({ query: who, body, signal: ending.signal }, asked, (answer) => put(id, column, answer))
}

async function read(posted: Posted<typeof PATH>, asked: Answer, draw: (answer: Answer) => void): Promise<void> {
  const { signal: stopping } = posted
  const startedAt = performance.now()
  const since = () => performance.now() - startedAt
  let answer = asked
  let timer: ReturnType<typeof setTimeout> | undefined
  const drawSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      draw(answer)
    }, DRAW_MS)
  }
  try {
    const headers = await postForEvents(PATH, posted, (event) => {
      answer = grown(answer, event as Event, since())
      drawSoon()
    })
    answer = { ...answer, ms: since(), request: headers.get('x-request-id') }
    if (answer.state === 'running') answer = { ...answer, state: 'done' }
  } catch (error) {
    const state = stopping.aborted ? 'stopped' : 'failed'
    answer = { ...answer, state, ms: since(), ...(!stopping.aborted && { error: error as Error }) }
  }
  clearTimeout(timer)
  draw(answer)
}

/** Whose steps are shown and sent back: those of the gateway, and not what providers did by themselves. */
const GATEWAY = 'gatehouse'

function grown(before: Answer, { choices, usage, cost, error }: Event, ms: number): Answer {
  if (error) return { ...before, state: 'failed', error: new ApiError(200, { error: { code: null, ...error } }) }
  const delta = choices?.[0]?.delta
  const [said, thought] = [delta?.content ?? '', delta?.reasoning_content ?? '']
  const isFirst = before.firstMs === undefined && (said !== '' || thought !== '' || delta?.tool_calls?.length)
  return {
    ...before,
    text: before.text + said,
    reasoning: before.reasoning + thought,
    calls: withCalls(before.calls, delta?.tool_calls ?? []),
    ...(delta?.provider_content?.type === GATEWAY && { steps: delta.provider_content }),
    ...(isFirst && { firstMs: ms }),
    ...(usage && { tokens: { input: usage.prompt_tokens, output: usage.completion_tokens } }),
    ...(cost !== undefined && { cost }),
  }
}

/** The arguments of a tool call come in pieces. */
function withCalls(before: readonly ToolCall[], parts: readonly ToolCallFragment[]): readonly ToolCall[] {
  const calls = [...before]
  for (const { index = 0, id, function: said } of parts) {
    const { name, arguments: text, ...known } = calls[index] ?? { id: '', name: '', arguments: '' }
    calls[index] = { id: id ?? known.id, name: name + (said?.name ?? ''), arguments: text + (said?.arguments ?? '') }
  }
  return calls
}
