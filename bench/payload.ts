// The requests, and the answers of the fake upstream: the same bytes for every contender.

export const STREAM_EVENTS = 100
export const STREAM_PACE_MS = 10
export const HELD_USER = 'holds-the-stream'
export const ANSWER_TEXT =
  'A lighthouse keeper counts the ships that pass, and writes each one down before it is gone. '.repeat(5)

const FIXED_EVENTS = 4 // role, finish, usage, [DONE]
const MESSAGE_BYTES = 2_000
const SENTENCE =
  'The quick brown fox said: "jump over the lazy dog", twice,\nand waited for an answer that fits on one line. '

/** A chat request of about `bytes` bytes: one message when small, a long conversation when large. */
export function chatBody(model: string, bytes: number, stream = false): string {
  const streaming = stream ? { stream: true, stream_options: { include_usage: true } } : {}
  const empty = { model, messages: [{ role: 'user', content: '' }], temperature: 0.7, max_tokens: 256, ...streaming }
  const room = Math.max(0, bytes - JSON.stringify(empty).length)
  return JSON.stringify({ ...empty, messages: conversation(room) })
}

/** A chat whose stream the upstream leaves open after the first word. */
export function heldChatBody(model: string): string {
  const messages = [{ role: 'user', content: SENTENCE }]
  return JSON.stringify({ model, messages, stream: true, user: HELD_USER })
}

export function wholeAnswer(): string {
  return JSON.stringify({
    id: 'chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT',
    object: 'chat.completion',
    created: 1_741_569_952,
    model: 'gpt-4o-mini-2024-07-18',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: ANSWER_TEXT, refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: usage(),
    service_tier: 'default',
    system_fingerprint: 'fp_06737a9306',
  })
}

/** `count` events: the role first, then text, then the finish reason, the usage and `[DONE]`. */
export function streamEvents(count = STREAM_EVENTS): string[] {
  const text = Array.from({ length: count - FIXED_EVENTS }, (_, index) => chunk({ content: ` word${index}` }, null))
  const tail = JSON.stringify({ ...frame(), choices: [], usage: usage() })
  const head = chunk({ role: 'assistant', content: '', refusal: null }, null)
  return [head, ...text, chunk({}, 'stop'), tail, '[DONE]'].map((data) => `data: ${data}\n\n`)
}

function conversation(bytes: number): { role: string; content: string }[] {
  const count = Math.max(1, Math.round(bytes / MESSAGE_BYTES))
  const text = SENTENCE.repeat(Math.ceil(bytes / count / SENTENCE.length) + 1)
  // Quotes and line breaks grow when they are escaped, so the length is taken from the escaped text.
  const share = Math.floor((bytes / count) * (SENTENCE.length / (JSON.stringify(SENTENCE).length - 2)))
  const shell = count > 1 ? 32 : 0
  return Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: text.slice(0, Math.max(1, share - shell)),
  }))
}

function chunk(delta: object, finish: string | null): string {
  return JSON.stringify({
    ...frame(),
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    usage: null,
  })
}

function frame() {
  return {
    id: 'chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG',
    object: 'chat.completion.chunk',
    created: 1_741_570_283,
    model: 'gpt-4o-mini-2024-07-18',
  }
}

function usage() {
  return {
    prompt_tokens: 211,
    completion_tokens: 96,
    total_tokens: 307,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  }
}
