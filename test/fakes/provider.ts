import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { answer, type Behaviour, failure } from './behaviours.ts'
import { destroyOurselves, wasHungUp } from './hang-up.ts'

export type SeenRequest = {
  method: string
  path: string
  headers: IncomingHttpHeaders
  text: string
  /** The parsed body; `undefined` when it is not JSON. */
  body: unknown
  /** Settles when the exchange is over: true if the client disconnected before the answer was complete. */
  closed: Promise<boolean>
}

export type FakeProvider = {
  /** The base URL, `http://127.0.0.1:<port>/v1`. */
  url: string
  /** Every request whose body arrived, in order. */
  requests: SeenRequest[]
  /** Waits for the request with this number (from 0). */
  request(index: number): Promise<SeenRequest>
  /** Queues a behaviour for the next call. */
  next(behaviour: Behaviour): void
  /** The behaviour for calls without a queued one. */
  always(behaviour: Behaviour): void
  /** Forgets all requests and behaviours, for the next test. */
  reset(): void
  readonly openSockets: number
  close(): Promise<void>
}

const CHAT_PATH = '/v1/chat/completions'
/** It has no batches, whose answers are nothing like those to other requests. */
const BATCHES = /^\/v1\/(files|batches)$/
// Longer than any test: a fake that closes idle connections by itself would race with the client's reuse of them.
const IDLE_SOCKET_MS = 600_000

/** `everyPath`: the behaviours apply to every path but batches, not only to chat completions. */
type FakeOptions = { everyPath?: boolean }

/**
 * A real HTTP server on a free loopback port that speaks OpenAI chat completions, correctly or with the faults that a test
 * sets.
 */
export async function startFakeProvider({ everyPath = false }: FakeOptions = {}): Promise<FakeProvider> {
  const record = createRecord()
  const behaviours = createBehaviours(everyPath)
  const server = createServer({ noDelay: true, keepAliveTimeout: IDLE_SOCKET_MS }, async (request, response) => {
    const seen = await read(request, response).catch(() => null)
    if (!seen) return
    record.add(seen)
    await behaviours.take(seen)(seen, response)
  })
  const sockets = trackSockets(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests: record.requests,
    request: record.request,
    next: behaviours.next,
    always: behaviours.always,
    reset: () => {
      record.forget()
      behaviours.forget()
    },
    get openSockets() {
      return sockets.size
    },
    close: () => closeServer(server, sockets),
  }
}

async function read(request: IncomingMessage, response: ServerResponse): Promise<SeenRequest> {
  const { socket } = request
  const closed = new Promise<boolean>((resolve) => {
    response.once('close', () => resolve(!response.writableFinished && !wasHungUp(socket)))
  })
  const { method = '', url: path = '', headers } = request
  const body = await text(request)
  return { method, path, headers, text: body, body: parsed(body), closed }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function createRecord() {
  const requests: SeenRequest[] = []
  const waiting = new Map<number, PromiseWithResolvers<SeenRequest>>()
  function waitFor(index: number): Promise<SeenRequest> {
    const waiter = waiting.get(index) ?? Promise.withResolvers<SeenRequest>()
    waiting.set(index, waiter)
    return waiter.promise
  }
  return {
    requests,
    add: (seen: SeenRequest) => {
      const index = requests.push(seen) - 1
      waiting.get(index)?.resolve(seen)
      waiting.delete(index)
    },
    request: async (index: number) => requests[index] ?? waitFor(index),
    forget: () => {
      requests.length = 0
    },
  }
}

function createBehaviours(everyPath: boolean) {
  const queue: Behaviour[] = []
  let standing: Behaviour = answer()
  const unknownPath = failure(404, { message: 'The fake has nothing here.', type: 'invalid_request_error' })
  return {
    next: (behaviour: Behaviour) => void queue.push(behaviour),
    always: (behaviour: Behaviour) => {
      standing = behaviour
    },
    forget: () => {
      queue.length = 0
      standing = answer()
    },
    take: ({ method, path }: SeenRequest): Behaviour => {
      if (BATCHES.test(path)) return unknownPath
      const isKnown = everyPath || (method === 'POST' && path.split('?')[0] === CHAT_PATH)
      return isKnown ? (queue.shift() ?? standing) : unknownPath
    },
  }
}

type Server = ReturnType<typeof createServer>

function trackSockets(server: Server): Set<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

async function closeServer(server: Server, sockets: Set<Socket>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  for (const socket of sockets) destroyOurselves(socket)
  await closed
}
