import { useRef, useState } from 'preact/hooks'
import type { ChatChunk } from '../../../src/contract/chat-reply.ts'
import type { Posted } from '../../api/client.ts'
import { postForEvents } from '../../api/event-stream.ts'
import {
  type Answer,
  bodyFor,
  type ChatSettings,
  newAnswer,
  type Prompt,
  type ToolCall,
  type Turn,
} from './chat-body.ts'
import type { Who } from './who-fields.tsx'

type Event = Partial<ChatChunk> & { error?: { message: string } }
type Change = (before: Answer) => Answer

/** `who` says which project pays. */
type Asked = { models: readonly string[]; settings: ChatSettings; prompt: Prompt; who: Who }

/** A conversation with some models at once. Each of them knows its own answers only. */
export function useChat() {
  const [turns, setTurns] = useState<readonly Turn[]>([])
  const ending = useRef<AbortController | undefined>(undefined)
  const change = (turn: number, column: number, changed: Change) =>
    setTurns((before) => before.map((one, at) => (at === turn ? withAnswer(one, column, changed) : one)))
  const send = ({ models, settings, prompt, who }: Asked) => {
    const all = [...turns, { prompt, answers: models.map(newAnswer) }]
    const bodies = models.map((model, column) => bodyFor(model, settings, all, column))
    const controller = new AbortController()
    ending.current = controller
    setTurns(all)
    for (const [column, body] of bodies.entries())
      void ask({ query: who, body, signal: controller.signal }, (changed) => change(turns.length, column, changed))
  }
  const setResult = (column: number, call: number, result: string) =>
    change(turns.length - 1, column, (answer) => withResult(answer, call, result))
  const stop = () => ending.current?.abort()
  const clear = () => {
    stop()
    setTurns([])
  }
  const isRunning = turns.some(({ answers }) => answers.some(({ state }) => state === 'running'))
  return { turns, isRunning, send, stop, clear, setResult }
}

function withAnswer(turn: Turn, column: number, changed: Change): Turn {
  return { ...turn, answers: turn.answers.map((one, at) => (at === column ? changed(one) : one)) }
}

function withResult(answer: Answer, call: number, result: string): Answer {
  return { ...answer, calls: answer.calls.map((one, at) => (at === call ? { ...one, result } : one)) }
}

const PATH = '/admin/playground/chat/completions'

async function ask(posted: Posted<typeof PATH>, change: (changed: Change) => void): Promise<void> {
  const { signal } = posted
  const startedAt = performance.now()
  const since = () => performance.now() - startedAt
  try {
    const onEvent = (event: unknown) => change((before) => grown(before, event as Event, since()))
    const headers = await postForEvents(PATH, posted, onEvent)
    change((before) => ended(before, since(), headers.get('x-request-id')))
  } catch (error) {
    const state = signal.aborted ? 'stopped' : 'failed'
    change((before) => ({ ...before, state, ms: since(), ...(!signal.aborted && { error: error as Error }) }))
  }
}

function grown(before: Answer, { choices, usage, cost, error }: Event, ms: number): Answer {
  if (error) return { ...before, state: 'failed', error: new Error(error.message) }
  const delta = choices?.[0]?.delta
  const said = delta?.content ?? ''
  return {
    ...before,
    text: before.text + said,
    calls: withCalls(before.calls, delta?.tool_calls),
    ...(before.firstMs === undefined && said !== '' && { firstMs: ms }),
    ...(usage && { tokens: usage.total_tokens }),
    ...(cost !== undefined && { cost }),
  }
}

type Part = { index?: number; id?: string | null; function?: { name?: string | null; arguments?: string | null } }

/** The arguments of a tool call come in pieces. */
function withCalls(before: readonly ToolCall[], parts: unknown): readonly ToolCall[] {
  if (!Array.isArray(parts)) return before
  const calls = [...before]
  for (const { index = 0, id, function: said } of parts as Part[]) {
    const { name, arguments: text, ...before } = calls[index] ?? { id: '', name: '', arguments: '' }
    calls[index] = { id: id ?? before.id, name: name + (said?.name ?? ''), arguments: text + (said?.arguments ?? '') }
  }
  return calls
}

function ended(before: Answer, ms: number, request: string | null): Answer {
  return { ...before, ms, request, state: before.state === 'failed' ? 'failed' : 'done' }
}
