import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import {
  createMcpHandler,
  fromJsonSchema,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'

/** How a server of the SDK speaks: as of 2026-07-28 alone, both ways, or as of 2025 with a session for each client. */
export type McpEra = 'modern' | 'both' | 'sessions'

type SeenMcp = { method: string; headers: IncomingMessage['headers']; params: Record<string, unknown> }

export type FakeMcpServer = {
  url: string
  /** The messages that have arrived. */
  seen: SeenMcp[]
  /** The calls of tools among them, as `name(arguments)`. */
  calls(): string[]
  /** Resolves when the client of a call of `slow` has gone. */
  left: Promise<void>
  close(): Promise<void>
}

type Tool = {
  description: string
  schema: object
  annotations?: object
  run(input: Record<string, unknown>): Promise<string> | string
}

/** A real server of the protocol, by its official SDK, on a port of its own. */
export async function startMcpServer(era: McpEra = 'both', tools = TOOLS): Promise<FakeMcpServer> {
  const seen: SeenMcp[] = []
  const gone = Promise.withResolvers<void>()
  const build = () => serverWith(tools, gone.promise)
  const answer = era === 'sessions' ? withSessions(build) : createMcpHandler(build, legacyOf(era)).fetch
  const server = createServer((request, response) => {
    serve(request, response, answer, { seen, gone: gone.resolve }).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    seen,
    calls: () =>
      seen
        .filter(({ method }) => method === 'tools/call')
        .map(({ params }) => {
          return `${params.name}(${JSON.stringify(params.arguments)})`
        }),
    left: gone.promise,
    close: async () => {
      gone.resolve()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function legacyOf(era: McpEra): { legacy: 'reject' | 'stateless' } {
  return { legacy: era === 'modern' ? 'reject' : 'stateless' }
}

const TOOLS: Record<string, Tool> = {
  find: {
    description: 'Finds tickets.',
    schema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
    run: ({ word }) => `Ticket 7 is about ${word}.`,
  },
  count: { description: 'Counts tickets.', schema: { type: 'object', properties: {} }, run: () => '42' },
  fail: {
    description: 'Fails.',
    schema: { type: 'object', properties: {} },
    run: () => {
      throw new Error('the database is on fire')
    },
  },
}

function serverWith(tools: Record<string, Tool>, gone: Promise<void>): McpServer {
  const server = new McpServer({ name: 'tickets', version: '1.0.0' })
  for (const [name, { description, schema, annotations, run }] of Object.entries(tools)) {
    const said = { description, inputSchema: fromJsonSchema(schema), ...(annotations && { annotations }) }
    server.registerTool(name, said, async (input: unknown) => {
      return { content: [{ type: 'text' as const, text: await run(input as Record<string, unknown>) }] }
    })
  }
  server.registerTool('slow', { description: 'Never ends.' }, async () => {
    await gone
    return { content: [] }
  })
  return server
}

type Answer = (request: Request) => Promise<Response>

/** As servers of 2025 keep their clients apart. */
function withSessions(build: () => McpServer): Answer {
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>()
  return async (request) => {
    const known = transports.get(request.headers.get('mcp-session-id') ?? '')
    if (known) return await known.handleRequest(request)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id: string) => void transports.set(id, transport),
    })
    await build().connect(transport)
    return await transport.handleRequest(request)
  }
}

type Watching = { seen: SeenMcp[]; gone(): void }

async function serve(request: IncomingMessage, response: ServerResponse, answer: Answer, { seen, gone }: Watching) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  const message = body.length > 0 ? JSON.parse(body.toString()) : {}
  // The client of a call that never ends has gone.
  if (message.params?.name === 'slow') response.once('close', () => gone())
  seen.push({ method: message.method, headers: request.headers, params: message.params ?? {} })
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
  const init = { method: request.method ?? 'GET', headers, ...(body.length > 0 && { body }) }
  const reply = await answer(new Request(`http://${request.headers.host}${request.url}`, init))
  response.writeHead(reply.status, Object.fromEntries(reply.headers))
  if (!reply.body) return void response.end()
  await pipeline(Readable.fromWeb(reply.body as ReadableStream), response)
}
