import { connect, type Socket } from 'node:net'

/** A raw answer. */
export type RawReply = { status: number; headers: Record<string, string>; body: string; text: string; closed: boolean }

/** Only ends a test that hangs. */
const TIMEOUT_MS = 200_000

/**
 * Sends bytes that no HTTP client would send. Resolves with the first whole answer, or with what arrived before the close.
 */
export async function exchange(url: string, bytes: string | Buffer): Promise<RawReply> {
  const socket = open(url)
  socket.write(bytes)
  return readReply(socket)
}

/** Like exchange, but waits until the server closes: `text` is everything that it sent. */
export async function exchangeToTheEnd(url: string, bytes: string | Buffer): Promise<RawReply> {
  const socket = open(url)
  socket.write(bytes)
  return readReply(socket, () => false)
}

export function open(url: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  // A server that disconnects because of invalid input may do so while we still write.
  return socket.on('error', () => {})
}

/** A correctly framed request with any content. */
export function request(line: string, headers: readonly string[] = [], body: string | Buffer = ''): Buffer {
  const content = Buffer.from(body)
  const length = content.length > 0 ? [`Content-Length: ${content.length}`] : []
  const host = headers.some((header) => /^host\s*:/i.test(header)) ? [] : ['Host: gatehouse.localhost']
  return Buffer.concat([
    Buffer.from(`${[`${line} HTTP/1.1`, ...host, ...headers, ...length].join('\r\n')}\r\n\r\n`, 'latin1'),
    content,
  ])
}

export function readReply(socket: Socket, isWhole = wholeReply()): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => settle(() => reject(new Error('the server neither answered nor closed'))),
      TIMEOUT_MS,
    )
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      if (isWhole(text)) settle(() => resolve(parse(text, false)))
    })
    socket.once('close', () => settle(() => resolve(parse(text, true))))

    function settle(how: () => void) {
      clearTimeout(timer)
      how()
      socket.destroy()
    }
  })
}

function wholeReply(): (text: string) => boolean {
  // The text is not examined before it can be complete, because that joins all its pieces each time.
  let needed = 0
  return (text) => {
    const end = text.length < needed ? -1 : text.indexOf('\r\n\r\n')
    if (end < 0) return false
    const head = text.slice(0, end)
    const length = /^content-length: (\d+)$/im.exec(head)?.[1]
    if (length !== undefined) {
      needed = end + 4 + Number(length)
      return text.length >= needed
    }
    if (/^transfer-encoding: chunked$/im.test(head)) return text.endsWith('0\r\n\r\n')
    return /^HTTP\/1.1 (204|304)/.test(head)
  }
}

function parse(text: string, closed: boolean): RawReply {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [line = '', ...fields] = head.split('\r\n')
  const headers = Object.fromEntries(fields.map(toField))
  return { status: Number(line.split(' ')[1] ?? 0), headers, body: rest.join('\r\n\r\n'), text, closed }
}

function toField(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}
