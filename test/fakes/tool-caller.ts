import type { Behaviour } from './behaviours.ts'
import type { SeenRequest } from './provider.ts'

/** What a fake model does in one turn: text, and calls as `[name, arguments]`. A stream can break off after some events. */
export type FakeTurn = {
  text?: string
  calls?: readonly (readonly [name: string, input: object])[]
  finish?: string
  cutAfter?: number
}

type Body = { stream?: boolean; stream_options?: { include_usage?: boolean }; messages: { role: string }[] }

/**
 * A model behind OpenAI's chat format that plays these turns, whole or streamed as it is asked. The turn is the number of turns that
 * the conversation has since its last user message.
 */
export function toolCaller(turns: readonly FakeTurn[]): Behaviour {
  return (request, response) => {
    const body = request.body as Body
    const since = body.messages.slice(body.messages.findLastIndex(({ role }) => role === 'user') + 1)
    const at = since.filter(({ role }) => role === 'assistant').length
    const turn = turns[Math.min(at, turns.length - 1)]!
    if (!body.stream) {
      response.writeHead(200, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify(whole(turn, at, request)))
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of [...events(turn, at)].slice(0, turn.cutAfter))
      response.write(`data: ${JSON.stringify(event)}\n\n`)
    if (turn.cutAfter !== undefined) return void response.write(': the end', () => response.destroy())
    response.end('data: [DONE]\n\n')
  }
}

const TURN_USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }

function whole({ text, calls = [], finish }: FakeTurn, at: number, { body }: SeenRequest): object {
  const { model } = body as { model: string }
  const message = {
    role: 'assistant',
    content: text ?? null,
    ...(calls.length > 0 && { tool_calls: calls.map(callOf(at)) }),
  }
  const choice = { index: 0, message, finish_reason: finish ?? endOf(calls), logprobs: null }
  return { id: `chatcmpl-${at}`, object: 'chat.completion', created: 1, model, choices: [choice], usage: TURN_USAGE }
}

function* events({ text = '', calls = [], finish }: FakeTurn, at: number): Generator<object> {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: `chatcmpl-${at}`,
    object: 'chat.completion.chunk',
    created: 1 + at,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason, logprobs: null }],
  })
  yield chunk({ role: 'assistant', content: '' })
  for (const piece of text.match(/.{1,4}/gs) ?? []) yield chunk({ content: piece })
  for (const [index, call] of calls.map(callOf(at)).entries()) {
    const { arguments: json, name } = call.function
    yield chunk({ tool_calls: [{ index, ...call, function: { name, arguments: '' } }] })
    for (const piece of json.match(/.{1,3}/gs) ?? [])
      yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] })
  }
  yield chunk({}, finish ?? endOf(calls))
  yield {
    id: `chatcmpl-${at}`,
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [],
    usage: TURN_USAGE,
  }
}

function callOf(at: number) {
  return ([name, input]: readonly [string, object], index: number) => {
    return { id: `call_${at}_${index}`, type: 'function', function: { name, arguments: JSON.stringify(input) } }
  }
}

function endOf(calls: readonly unknown[]): string {
  return calls.length > 0 ? 'tool_calls' : 'stop'
}
