import { setTimeout as sleep } from 'node:timers/promises'

const JOB_POLL_MS = 20
const PAUSE_MS = 5
const ENOUGH_CALLS = 50
const ANSWER_MS = 10_000
const MESSAGES = [{ role: 'user', content: 'Write one line.' }]

/** The ids of calls and jobs whose end a client saw. */
export type SeenEnds = { calls: string[]; jobs: string[] }

type Gateway = { url: string; keys: [live: string, sandbox: string]; clients: number }
type LoadRequest = { path: string; body: object; key?: 'sandbox' }

/** One of each way in which an answer ends: whole, as events, as bytes, and with an error. */
const REQUESTS: LoadRequest[] = [
  { path: 'chat/completions', body: { model: 'sandbox/echo', messages: MESSAGES } },
  { path: 'chat/completions', body: { model: 'sandbox/echo', messages: MESSAGES, stream: true } },
  { path: 'chat/completions', body: { model: 'sandbox/unknown', messages: MESSAGES } },
  { path: 'v1/messages', body: { model: 'sandbox/echo', messages: MESSAGES, max_tokens: 50, stream: true } },
  { path: 'responses', body: { model: 'sandbox/echo', input: 'Hello', stream: true } },
  { path: 'images/generations', body: { model: 'sandbox/image', prompt: 'a gate' } },
  { path: 'universal-ai', body: { model: 'text/moderation/sandbox', input: { text: 'Hello' } } },
  { path: 'audio/speech', body: { model: 'openai/tts-1', input: 'Hello', voice: 'alloy' }, key: 'sandbox' },
]
const JOB = { model: 'text/moderation/sandbox', input: { text: 'Hello' } }

/** Clients that ask one request after the other, until the gateway is gone or they are stopped. */
export function loadOf({ url, keys, clients }: Gateway, answered: SeenEnds) {
  const begun = Promise.withResolvers<void>()
  const enough = { calls: answered.calls.length + ENOUGH_CALLS, jobs: answered.jobs.length + 1 }
  const stopping = new AbortController()
  const { signal } = stopping
  const running = Array.from({ length: clients }, async (_, index) => {
    for (let turn = index; !signal.aborted; turn++) await askOne(turn).catch(() => sleep(PAUSE_MS))
  })
  return {
    /** Resolves when there were some answers, and a job has ended. */
    begun: begun.promise,
    stop: async () => {
      stopping.abort()
      await Promise.all(running)
    },
  }

  async function askOne(turn: number): Promise<void> {
    const request = REQUESTS[turn % (REQUESTS.length + 1)]
    if (!request) return await runJob()
    const { id } = await ask(request)
    answered.calls.push(id)
    if (answered.calls.length >= enough.calls && answered.jobs.length >= enough.jobs) begun.resolve()
  }

  async function runJob(): Promise<void> {
    const { public_id: id } = JSON.parse((await ask({ path: 'universal-ai/async', body: JOB })).text)
    while (!signal.aborted) {
      const response = await fetch(`${url}/v3/universal-ai/async/${id}`, { headers: authorize(), signal: limited() })
      const { status } = (await response.json()) as { status: string }
      if (response.ok && status !== 'processing') return void answered.jobs.push(id)
      await sleep(JOB_POLL_MS)
    }
  }

  /** Resolves when the last byte has arrived. */
  async function ask({ path, body, key }: LoadRequest): Promise<{ id: string; text: string }> {
    const headers = { ...authorize(key), 'content-type': 'application/json' }
    const response = await fetch(`${url}/v3/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: limited(),
    })
    const text = await response.text()
    // A busy gateway refuses a request before it becomes a call. Such a request has no line, and is sent again.
    if (response.status === 503 && text.includes('"overloaded"')) throw new Error(text)
    return { id: response.headers.get('x-request-id')!, text }
  }

  /** Ends a request that hangs. */
  function limited(): AbortSignal {
    return AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)])
  }

  function authorize(key?: 'sandbox') {
    return { authorization: `Bearer ${keys[key ? 1 : 0]}` }
  }
}
