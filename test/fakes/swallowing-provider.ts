import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request whose body was hashed while it arrived, and not kept. */
type SwallowedRequest = { path: string; bytes: number; sha256: string }

type SwallowingProvider = {
  url: string
  requests: SwallowedRequest[]
  close(): Promise<void>
}

/** Speaks every chat format, answers "ok", and keeps nothing of the requests: for bodies that are too large to keep. */
export async function startSwallowingProvider(): Promise<SwallowingProvider> {
  const requests: SwallowedRequest[] = []
  const server = createServer(async (request, response) => {
    requests.push(await swallow(request))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answerFor(request.url ?? '')))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

async function swallow(request: IncomingMessage): Promise<SwallowedRequest> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of request) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { path: request.url ?? '', bytes, sha256: hash.digest('hex') }
}

function answerFor(path: string): object {
  if (path.includes('/messages')) return ANTHROPIC
  if (path.includes(':generateContent')) return GEMINI
  if (path.includes('/converse')) return BEDROCK
  return path.endsWith('/chat') ? COHERE : OPENAI
}

const OPENAI = {
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
}
const ANTHROPIC = {
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'ok' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
}
const GEMINI = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
}
const BEDROCK = {
  output: { message: { role: 'assistant', content: [{ text: 'ok' }] } },
  stopReason: 'end_turn',
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
}
const COHERE = {
  id: 'x',
  message: { role: 'assistant', content: [{ type: 'text', text: 'ok' }] },
  finish_reason: 'COMPLETE',
  usage: { tokens: { input_tokens: 1, output_tokens: 1 } },
}
