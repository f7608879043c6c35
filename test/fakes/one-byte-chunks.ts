import { type AddressInfo, createServer, type Socket } from 'node:net'
import { parentPort } from 'node:worker_threads'
import { png } from '../../src/base/sniff/fixtures/small-files.ts'

// A server in a thread of its own that sends every answer in chunks of one byte: as a provider, whole or streamed, and as a
// URL that a caller names. The name of the model or of the file says how many. A model called `nonsense` streams endless data that is not
// JSON.

const server = createServer((socket) => {
  let come = ''
  socket.setNoDelay(true).on('error', () => {})
  socket.on('data', (bytes) => {
    come += bytes.toString('latin1')
    const [head, body] = come.split('\r\n\r\n', 2)
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head!)?.[1] ?? 0)
    if (body === undefined || body.length < length) return
    come = ''
    answer(socket, head!, body)
  })
})
server.listen(0, '127.0.0.1', () => parentPort!.postMessage((server.address() as AddressInfo).port))

function answer(socket: Socket, head: string, body: string): void {
  if (head.startsWith('GET'))
    send(socket, 'application/octet-stream', Buffer.concat([png(4, 4), Buffer.alloc(charsIn(head))]))
  else if (/"model":"nonsense"/.test(body)) sendNonsense(socket)
  else if (/"stream":true/.test(body)) send(socket, 'text/event-stream', Buffer.from(streamed(charsIn(body))))
  else send(socket, 'application/json', Buffer.from(JSON.stringify(completion(charsIn(body)))))
}

function send(socket: Socket, type: string, bytes: Buffer): void {
  const chunks = Buffer.alloc(bytes.length * 6, '1\r\nx\r\n')
  for (const [index, byte] of bytes.entries()) chunks[index * 6 + 3] = byte
  socket.write(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`)
  socket.write(chunks)
  socket.write('0\r\n\r\n')
}

function sendNonsense(socket: Socket): void {
  const more = () => {
    while (!socket.destroyed && socket.write(NONSENSE));
    socket.once('drain', more)
  }
  socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n')
  more()
}

const NONSENSE = 'data: {x}\n\n'.repeat(1_000)

function charsIn(text: string): number {
  return Number(/(\d+)-chars/.exec(text)![1])
}

function completion(chars: number) {
  const message = { role: 'assistant', content: 'x'.repeat(chars) }
  return {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
  }
}

/** One event per hundred characters. */
function streamed(chars: number): string {
  const event = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  return `${event({ content: 'x'.repeat(100) }, null).repeat(chars / 100)}${event({}, 'stop')}data: [DONE]\n\n`
}
