// The fake provider as a program: `node node-upstream.ts <port>`. Whole answers at once, streams event by event.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { HELD_USER, STREAM_PACE_MS, streamEvents, wholeAnswer } from './payload.ts'

export type StreamCounts = { started: number; finished: number; aborted: number }

const KEEP_ALIVE_MS = 120_000
const STREAM_MARK = Buffer.from('"stream":true')

const wholeBytes = Buffer.from(wholeAnswer())
const events = streamEvents().map((event) => Buffer.from(event))
const counts: StreamCounts = { started: 0, finished: 0, aborted: 0 }

const server = createServer((request, response) => {
  if (request.url === '/ready') return response.end('ready')
  if (request.url === '/counts') return response.end(JSON.stringify(counts))
  readBody(request, (body) => answer(response, body))
})
server.keepAliveTimeout = KEEP_ALIVE_MS
server.listen(Number(process.argv[2]), '127.0.0.1')

function readBody(request: IncomingMessage, use: (body: Buffer) => void): void {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => use(Buffer.concat(parts)))
}

function answer(response: ServerResponse, body: Buffer): void {
  if (!body.includes(STREAM_MARK)) return whole(response)
  if (body.includes(HELD_USER)) return hold(response)
  stream(response)
}

/** The role and one word, and then nothing until the client leaves. */
function hold(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  for (const event of events.slice(0, 2)) response.write(event)
}

function whole(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': wholeBytes.length })
  response.end(wholeBytes)
}

function stream(response: ServerResponse): void {
  counts.started++
  response.socket?.setNoDelay(true)
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  let next = 0
  const send = () => (next < events.length ? response.write(events[next++]) : response.end())
  const timer = setInterval(send, STREAM_PACE_MS)
  response.on('close', () => {
    clearInterval(timer)
    // `writableFinished` is also true when a client leaves after the last event: that stream was not cut.
    if (response.writableFinished) counts.finished++
    else counts.aborted++
  })
  send()
}
