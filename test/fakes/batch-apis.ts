import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

// The batch APIs of OpenAI (and those who have copied it), Anthropic, Google and Mistral. They refuse what these refuse.

type Fields = Record<string, unknown>
type Item = { id: string; body: Fields }
type GeminiOutput = { inlinedResponses: { inlinedResponses: Fields[] } }
type Outcome = 'succeeded' | 'expired' | 'cancelled' | { status: number; message: string }

type FakeBatch = {
  id: string
  api: Api
  endpoint: string
  mark: string | undefined
  items: Item[]
  createdAt: number
  inputFile?: string
  state: 'running' | 'ended' | 'expired' | 'cancelled' | 'failed'
  outcomes: Map<string, Outcome>
}

/**
 * Azure and Groq have copied OpenAI, but for the endpoints that their lines name. Alibaba and the host of a config file do not keep the
 * metadata of a batch.
 */
type Api = LikeOpenai | 'anthropic' | 'gemini' | 'mistral'
type LikeOpenai = 'openai' | 'azure' | 'groq' | 'deepinfra' | 'dashscope' | 'ours'

/** `created`: what is answered to this path in the place of a batch. `results`: the lines of the output file. */
type Oddity = {
  created?: (path: string) => string | undefined
  results?: (lines: string, batch: Pick<FakeBatch, 'id' | 'items'>) => string
}

/** What becomes of a request of a batch. */
type Decide = (item: Item, index: number) => Outcome

export type FakeBatchApis = Awaited<ReturnType<typeof startBatchApis>>

export async function startBatchApis() {
  const batches: FakeBatch[] = []
  const files = new Map<string, string>()
  const names = new Map<string, string>()
  let geminiAnswers: 'inline' | 'file' = 'inline'
  let requests: string[] = []
  let losesAnswer = false
  let holdsAnswer = false
  let resultLines: number | undefined
  let oddity: Oddity = {}
  let refusal: { status: number; body: Fields } | undefined
  let changed = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      if (error instanceof Refused) return send(response, error.status, error.body)
      send(response, 500, { error: { message: String(error) } })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, origin)
    const [, api, ...rest] = url.pathname.split('/') as [string, Api, ...string[]]
    const path = `/${rest.join('/')}`.replace(/^(\/openai)?\/v1(beta)?(?=\/)/, '')
    const body = await text(request)
    requests.push(`${request.method} ${api}${path}`)
    demandKey(api, request)
    const asked = { method: request.method!, path, url, body, request }
    if (request.method === 'POST' && !path.endsWith('cancel') && refusal)
      throw new Refused(refusal.status, refusal.body)
    const odd = request.method === 'POST' && !path.endsWith('cancel') ? oddity.created?.(path) : undefined
    if (odd !== undefined) return void response.end(odd)
    const answered = HANDLERS[api](asked)
    changed.resolve()
    changed = Promise.withResolvers()
    if (losesAnswer && request.method === 'POST' && !path.startsWith('/files')) {
      losesAnswer = false
      return void request.socket.destroy()
    }
    if (holdsAnswer && request.method === 'POST' && !path.startsWith('/files')) return
    if (typeof answered === 'string') return sendLines(response, answered)
    send(response, 200, answered)
  }

  function sendLines(response: ServerResponse, lines: string): void {
    if (resultLines === undefined) return void response.end(lines)
    response.write(`${lines.split('\n').slice(0, resultLines).join('\n')}\n`)
  }

  function create(batch: Omit<FakeBatch, 'id' | 'createdAt' | 'state' | 'outcomes'>, prefix: string): FakeBatch {
    if (new Set(batch.items.map(({ id }) => id)).size < batch.items.length) refuse(400, 'custom_id must be unique')
    const id = `${prefix}${batches.length + 1}`
    const created = { ...batch, id, createdAt: Date.now(), state: 'running' as const, outcomes: new Map() }
    batches.push(created)
    return created
  }

  function find(id: string, api: Api): FakeBatch {
    return batches.find((one) => one.id === id && one.api === api) ?? refuse(404, 'No batch found')
  }

  function cancel(batch: FakeBatch): void {
    if (batch.state !== 'running') refuse(409, 'This batch cannot be cancelled.')
    finishOne(batch, (_item, index) => (index === 0 ? 'succeeded' : 'cancelled'), 'cancelled')
  }

  function finishOne(batch: FakeBatch, decide: Decide, state: FakeBatch['state'] = 'ended'): void {
    for (const [index, item] of batch.items.entries()) batch.outcomes.set(item.id, decide(item, index))
    batch.state = state
  }

  type Asked = { method: string; path: string; url: URL; body: string; request: IncomingMessage }
  const likeOpenai = (api: LikeOpenai) => {
    return ({ method, path, url, body, request }: Asked): Fields | string => {
      if (method === 'POST' && path === '/files') return { id: keepFile(request, body), object: 'file' }
      if (method === 'GET' && path.endsWith('/content')) return files.get(path.split('/')[2]!) ?? refuse(404, 'No file')
      if (method === 'GET' && path.startsWith('/files/'))
        return { id: path.split('/')[2]!, filename: names.get(path.split('/')[2]!) ?? refuse(404, 'No file') }
      if (method === 'POST' && path === '/batches')
        return shownByOpenai(create(readOpenai(api, parse(body), files), 'batch_'))
      if (path === '/batches') return page(api, url, 'after')
      const batch = find(path.split('/')[2]!, api)
      if (path.endsWith('/cancel')) cancel(batch)
      return shownByOpenai(batch)
    }
  }
  const HANDLERS: Record<Api, (asked: Asked) => Fields | string> = {
    openai: likeOpenai('openai'),
    azure: likeOpenai('azure'),
    groq: likeOpenai('groq'),
    deepinfra: likeOpenai('deepinfra'),
    dashscope: likeOpenai('dashscope'),
    ours: likeOpenai('ours'),
    anthropic: ({ method, path, url, body, request }) => {
      if (request.headers['anthropic-version'] !== '2023-06-01' && !path.endsWith('/results'))
        refuse(400, 'anthropic-version: header is required')
      if (method === 'POST' && path === '/messages/batches')
        return shownByAnthropic(create(readAnthropic(parse(body)), 'msgbatch_'))
      if (path === '/messages/batches') return page('anthropic', url, 'after_id')
      const batch = find(path.split('/')[3]!, 'anthropic')
      if (path.endsWith('/cancel')) cancel(batch)
      if (!path.endsWith('/results')) return shownByAnthropic(batch)
      if (batch.state === 'running') refuse(404, 'The results of this batch are not available yet')
      return batch.items
        .map((item) => `${JSON.stringify(anthropicResult(item, batch.outcomes.get(item.id)!))}\n`)
        .join('')
    },
    gemini: ({ method, path, url, body }) => {
      const [, model] = /^\/models\/(.+):batchGenerateContent$/.exec(path) ?? []
      if (method === 'POST' && model !== undefined)
        return shownByGemini(create(readGemini(parse(body), model), 'batches/'))
      if (path === '/batches') {
        void url
        return { operations: batches.filter(({ api }) => api === 'gemini').map(shownByGemini) }
      }
      if (path.endsWith(':download')) return files.get(path.slice(1, -':download'.length)) ?? refuse(404, 'No file')
      const batch = find(path.slice(1).replace(/:cancel$/, ''), 'gemini')
      if (path.endsWith(':cancel')) cancel(batch)
      if (path.endsWith(':cancel')) return {}
      return geminiAnswers === 'file' && batch.state !== 'running' ? inFile(batch) : shownByGemini(batch)
    },
    mistral: ({ method, path, body }) => {
      if (method === 'GET' && path.startsWith('/files/'))
        return files.get(path.split('/')[2]!) ?? refuse(404, 'No file')
      if (method === 'POST' && path === '/batch/jobs') return shownByMistral(create(readMistral(parse(body)), 'job-'))
      if (path === '/batch/jobs') return { data: batches.filter(({ api }) => api === 'mistral').map(shownByMistral) }
      const batch = find(path.split('/')[3]!, 'mistral')
      if (path.endsWith('/cancel')) cancel(batch)
      return shownByMistral(batch)
    },
  }

  /** The answers of a batch of Google as a file. */
  function inFile(batch: FakeBatch): Fields {
    const { metadata, ...shown } = shownByGemini(batch) as { metadata: { output: GeminiOutput } }
    const { output, ...about } = metadata
    const lines = output.inlinedResponses.inlinedResponses
    const responsesFile = `files/${batch.id.replace('/', '-')}`
    files.set(responsesFile, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    return { ...shown, metadata: { ...about, output: { responsesFile } } }
  }

  function keepFile({ headers }: IncomingMessage, body: string): string {
    const [, boundary] = /boundary=(.+)$/.exec(String(headers['content-type'])) ?? refuse(400, 'not a form')
    const parts = body.split(`--${boundary}`)
    if (!parts.some((part) => /name="purpose"\r\n\r\nbatch\r\n/.test(part)))
      refuse(400, "'purpose' is a required property")
    const file =
      parts.find((part) => part.includes('name="file"; filename=')) ?? refuse(400, "'file' is a required property")
    const id = `file-${files.size + 1}`
    names.set(id, /filename="([^"]+)"/.exec(file)![1]!)
    files.set(id, file.slice(file.indexOf('\r\n\r\n') + 4, -2))
    return id
  }

  /** Newest first. */
  function page(api: LikeOpenai | 'anthropic', url: URL, cursor: string): Fields {
    const newest = batches.filter((one) => one.api === api).reverse()
    const after = url.searchParams.get(cursor)
    const from = after === null ? 0 : newest.findIndex(({ id }) => id === after) + 1
    const shown = newest.slice(from, from + 1)
    const data = shown.map(api === 'anthropic' ? shownByAnthropic : shownByOpenai)
    return { object: 'list', data, has_more: from + 1 < newest.length, last_id: shown.at(-1)?.id ?? null }
  }

  function shownByOpenai(batch: FakeBatch): Fields {
    const { id, api, endpoint, mark, state, inputFile: input_file_id } = batch
    const status = state === 'running' ? 'in_progress' : state === 'ended' ? 'completed' : state
    const filesOf = state === 'running' || state === 'failed' ? {} : writeFiles(batch, 'file-of')
    const isKept = mark !== undefined && api !== 'dashscope' && api !== 'ours'
    const metadata = isKept ? { gatehouse_batch: mark } : null
    const errors = state === 'failed' ? { object: 'list', data: [{ code: 'model_not_found', message: FAILURE }] } : null
    const created_at = Math.floor(batch.createdAt / 1_000)
    return { id, object: 'batch', endpoint, status, metadata, created_at, input_file_id, errors, ...filesOf }
  }

  function shownByMistral(batch: FakeBatch): Fields {
    const { id, endpoint, mark, state } = batch
    const names = {
      running: 'RUNNING',
      ended: 'SUCCESS',
      expired: 'TIMEOUT_EXCEEDED',
      cancelled: 'CANCELLED',
      failed: 'FAILED',
    }
    const { output_file_id: output_file, error_file_id: error_file } = state === 'running' ? {} : writeFiles(batch, 'm')
    return {
      id,
      object: 'batch',
      endpoint,
      status: names[state],
      metadata: { gatehouse_batch: mark },
      output_file,
      error_file,
    }
  }

  function writeFiles(batch: FakeBatch, prefix: string): Fields {
    const lines = { output: '', error: '' }
    for (const item of batch.items) {
      const { kind, line } = openaiResult(item, batch)
      lines[kind] += `${JSON.stringify(line)}\n`
    }
    lines.output = oddity.results?.(lines.output, batch) ?? lines.output
    const [output, error] = [`${prefix}-${batch.id}-out`, `${prefix}-${batch.id}-err`]
    files.set(output, lines.output)
    files.set(error, lines.error)
    return { output_file_id: lines.output ? output : null, error_file_id: lines.error ? error : null }
  }

  return {
    batches,
    url: (api: Api) => `${origin}/${api}`,
    get requests() {
      return requests
    },
    /** The next creation is done, and its answer is lost. */
    loseAnswer: () => {
      losesAnswer = true
    },
    /** What is created from now on is not answered, and the connection stays open. */
    holdAnswers: (holds: boolean) => {
      holdsAnswer = holds
    },
    /** Files of results break off after this many lines, and the connection stays open. */
    holdResults: (after: number | undefined) => {
      resultLines = after
    },
    /** What no provider should do. */
    behaveOddly: (odd: Oddity) => {
      oddity = odd
    },
    /** Where Google's answers are. */
    answerGemini: (where: 'inline' | 'file') => {
      geminiAnswers = where
    },
    refuseAll: (status: number, body: Fields) => {
      refusal = { status, body }
    },
    finish: (decide: Decide = () => 'succeeded', state: FakeBatch['state'] = 'ended') => {
      for (const batch of batches) if (batch.state === 'running') finishOne(batch, decide, state)
    },
    /** Waits until so many batches were created. */
    created: async (count: number) => {
      while (batches.length < count) await changed.promise
      return batches
    },
    /** Waits for a request of this kind. */
    asked: async (name: string) => {
      while (!requests.includes(name)) await changed.promise
    },
    reset: () => {
      batches.length = 0
      files.clear()
      names.clear()
      geminiAnswers = 'inline'
      requests = []
      losesAnswer = false
      refusal = undefined
      oddity = {}
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** What a provider says about a batch that it does not answer. */
const FAILURE = 'The provided model does not support batches (key-of-the-account).'

class Refused extends Error {
  readonly status: number
  readonly body: Fields

  constructor(status: number, body: Fields) {
    super(String(status))
    this.status = status
    this.body = body
  }
}

function refuse(status: number, message: string): never {
  throw new Refused(status, { error: { message, type: 'invalid_request_error' } })
}

function demandKey(api: Api, { headers }: IncomingMessage): void {
  const own = { anthropic: headers['x-api-key'], gemini: headers['x-goog-api-key'], azure: headers['api-key'] }
  const key = api in own ? own[api as keyof typeof own] : headers.authorization
  if (!String(key).endsWith('key-of-the-account')) refuse(401, 'Incorrect API key provided')
}

function parse(body: string): Fields {
  try {
    return JSON.parse(body) as Fields
  } catch {
    return refuse(400, 'We could not parse the JSON body of your request.')
  }
}

const ENDPOINTS: Record<LikeOpenai, string[]> = {
  openai: ['/v1/chat/completions', '/v1/responses', '/v1/embeddings', '/v1/completions', '/v1/moderations'],
  azure: ['/chat/completions', '/responses', '/embeddings'],
  groq: ['/v1/chat/completions'],
  deepinfra: ['/v1/chat/completions', '/v1/embeddings'],
  dashscope: ['/v1/chat/completions', '/v1/embeddings'],
  ours: ['/v1/chat/completions'],
}

function readOpenai(api: LikeOpenai, batch: Fields, files: Map<string, string>) {
  const { input_file_id, endpoint, completion_window, metadata } = batch
  const file = files.get(String(input_file_id)) ?? refuse(404, 'No such File object')
  if (completion_window !== '24h') refuse(400, "Invalid value for 'completion_window'")
  if (!ENDPOINTS[api].includes(String(endpoint))) refuse(400, "Invalid value for 'endpoint'")
  const lines = file.trimEnd().split('\n').map(parse)
  if (new Set(lines.map(({ body }) => (body as Fields).model)).size !== 1)
    refuse(400, 'All requests must be for one model')
  const items = lines.map(({ custom_id, method, url, body }) => {
    if (method !== 'POST' || url !== endpoint) refuse(400, 'The URL of a line does not match the batch')
    if ((body as Fields).stream) refuse(400, 'stream is not supported')
    return { id: String(custom_id), body: body as Fields }
  })
  const mark = (metadata as Fields | undefined)?.gatehouse_batch
  return {
    api,
    endpoint: String(endpoint),
    mark: mark === undefined ? undefined : String(mark),
    inputFile: String(input_file_id),
    items,
  }
}

function readAnthropic({ requests, ...others }: Fields) {
  if (Object.keys(others).length > 0) refuse(400, `${Object.keys(others)[0]}: Extra inputs are not permitted`)
  const items = (requests as { custom_id: string; params: Fields }[]).map(({ custom_id, params }) => {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(custom_id)) refuse(400, 'requests.0.custom_id: String should match the pattern')
    if (params.max_tokens === undefined || params.model === undefined) refuse(400, 'max_tokens: Field required')
    if (params.stream) refuse(400, 'stream: not supported')
    return { id: custom_id, body: params }
  })
  return { api: 'anthropic' as const, endpoint: '/messages', mark: undefined, items }
}

function readGemini({ batch }: Fields, model: string) {
  const { display_name, input_config } = batch as { display_name?: string; input_config: Fields }
  if (!display_name) refuse(400, 'batch.display_name is required')
  const { requests } = (input_config.requests ?? {}) as { requests: { request: Fields; metadata: { key: string } }[] }
  const items = requests.map(({ request, metadata }) => {
    if (!Array.isArray(request.contents)) refuse(400, 'contents is not specified')
    return { id: metadata.key, body: request }
  })
  return { api: 'gemini' as const, endpoint: model, mark: display_name, items }
}

function readMistral({ model, endpoint, requests, metadata }: Fields) {
  if (typeof model !== 'string' || endpoint !== '/v1/chat/completions') refuse(422, 'Input should be a valid endpoint')
  const items = (requests as { custom_id: string; body: Fields }[]).map(({ custom_id, body }) => ({
    id: custom_id,
    body,
  }))
  return {
    api: 'mistral' as const,
    endpoint: String(endpoint),
    mark: String((metadata as Fields).gatehouse_batch),
    items,
  }
}

function openaiResult({ id, body }: Item, { endpoint, outcomes }: FakeBatch) {
  const outcome = outcomes.get(id)!
  const line = { id: `batch_req_${id}`, custom_id: id }
  if (outcome === 'succeeded')
    return {
      kind: 'output' as const,
      line: { ...line, response: { status_code: 200, request_id: 'r', body: replyTo(body, endpoint) }, error: null },
    }
  if (typeof outcome === 'object') {
    const error = { message: outcome.message, type: 'invalid_request_error' }
    return {
      kind: 'error' as const,
      line: { ...line, response: { status_code: outcome.status, request_id: 'r', body: { error } }, error: null },
    }
  }
  return {
    kind: 'error' as const,
    line: { ...line, response: null, error: { code: `batch_${outcome}`, message: 'not done' } },
  }
}

function replyTo({ model, input }: Fields, endpoint: string): Fields {
  if (endpoint.endsWith('/embeddings')) {
    const usage = { prompt_tokens: 100, total_tokens: 100 }
    return {
      object: 'list',
      model,
      data: [input].flat().map((_, index) => ({ object: 'embedding', index, embedding: [0, 1] })),
      usage,
    }
  }
  const message = { role: 'assistant', content: 'From a batch.' }
  const usage = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 }
  return {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage,
  }
}

function shownByAnthropic({ id, items, state, createdAt }: FakeBatch): Fields {
  const zero = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 }
  const request_counts = { ...zero, [state === 'running' ? 'processing' : 'succeeded']: items.length }
  const processing_status = state === 'running' ? 'in_progress' : 'ended'
  return { id, type: 'message_batch', processing_status, request_counts, created_at: new Date(createdAt).toISOString() }
}

function anthropicResult({ id, body }: Item, outcome: Outcome): Fields {
  if (outcome === 'expired') return { custom_id: id, result: { type: 'expired' } }
  if (outcome === 'cancelled') return { custom_id: id, result: { type: 'canceled' } }
  if (typeof outcome === 'object') {
    const type = outcome.status === 400 ? 'invalid_request_error' : 'api_error'
    return {
      custom_id: id,
      result: { type: 'errored', error: { type: 'error', error: { type, message: outcome.message } } },
    }
  }
  const usage = { input_tokens: 1_000, output_tokens: 100, service_tier: 'batch' }
  const content = [{ type: 'text', text: 'From a batch.' }]
  const about = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: body.model,
    stop_reason: 'end_turn',
    stop_sequence: null,
  }
  return { custom_id: id, result: { type: 'succeeded', message: { ...about, content, usage } } }
}

function shownByGemini({ id, mark, items, state, outcomes }: FakeBatch): Fields {
  const names = {
    running: 'RUNNING',
    ended: 'SUCCEEDED',
    expired: 'EXPIRED',
    cancelled: 'CANCELLED',
    failed: 'FAILED',
  }
  const metadata = { '@type': 'GenerateContentBatch', displayName: mark, state: `BATCH_STATE_${names[state]}` }
  if (state === 'running') return { name: id, metadata }
  const inlinedResponses = items.map((item) => geminiResult(item, outcomes.get(item.id)!))
  return { name: id, done: true, metadata: { ...metadata, output: { inlinedResponses: { inlinedResponses } } } }
}

function geminiResult({ id }: Item, outcome: Outcome): Fields {
  const metadata = { key: id }
  if (outcome === 'expired' || outcome === 'cancelled')
    return { metadata, error: { code: outcome === 'expired' ? 4 : 1, message: 'not done' } }
  if (typeof outcome === 'object')
    return { metadata, error: { code: outcome.status === 400 ? 3 : 13, message: outcome.message } }
  const content = { role: 'model', parts: [{ text: 'From a batch.' }] }
  const usageMetadata = { promptTokenCount: 1_000, candidatesTokenCount: 100, totalTokenCount: 1_100 }
  return { metadata, response: { candidates: [{ content, finishReason: 'STOP', index: 0 }], usageMetadata } }
}

function send(response: ServerResponse, status: number, body: Fields): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
