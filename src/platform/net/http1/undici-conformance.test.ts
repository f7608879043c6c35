import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { sample } from '../../../../test/soak/sample.ts'
import { openUpstream } from '../upstream.ts'
import { openUndici, type Reading } from './fixtures/ask-undici.ts'
import { BODY, CHUNKED, CHUNKS, CUT, FIRST_LINES, HEADERS, OK } from './fixtures/malformed-answers.ts'

// undici is the reference: we refuse what it refuses, and an answer that both accept has the same meaning in both. Only we
// refuse: versions other than 1.0 and 1.1, empty lines before an answer, control characters in a reason, a status of four
// digits before the answer, codings other than a single `chunked`, a header called `__proto__`, chunk lengths of more than
// 13 digits, an extension with an empty value, a coding among the trailers, more than 16 KB of extensions or trailers, and
// a connection that ends after nothing but a 100.

/** Valid answers that undici refuses: an unexpected 100, and spaces after a length. */
const UNDICI_ALONE = /HTTP\/1\.[01] 100|content-length:(\\t| )*\d+(\\t| )+\\r\\n/i
const LANES = 8
const SAMPLES = sample(80, 150)

let played: Buffer[] = []
let server: Server
let origin: string
let lanes: Lane[]
const upstream = openUpstream()

before(async () => {
  server = createServer((socket) => socket.on('error', () => {}).once('data', (request) => play(socket, request)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  lanes = Array.from({ length: LANES }, () => openUndici(origin))
})
after(async () => {
  await Promise.all([...lanes.map((lane) => lane.close()), upstream.close()])
  server.close()
  await once(server, 'close')
})

type Lane = ReturnType<typeof openUndici>

test('an answer as it should be is the same to undici and to us', async () => {
  await compare(fc.sample(goodAnswer(), SAMPLES), (bytes, undici, ours) => {
    assert.ok(undici, `undici refuses ${bytes}`)
    assert.deepEqual(ours, undici, bytes)
  })
})

test('what undici refuses, we refuse; and what we both take, we read in the same way', async () => {
  const mutated = fc.sample(mutant(), SAMPLES)
  const tables = [
    ...FIRST_LINES.map((line) => `${line}\r\nContent-Length: 5\r\n\r\n${BODY}`),
    ...HEADERS.map((line) => `${OK}${line}\r\n\r\n${BODY}`),
    ...CHUNKS.map((chunks) => CHUNKED + chunks),
    ...CUT,
  ].map((text) => Buffer.from(text, 'latin1'))
  await compare([...mutated, ...tables], (bytes, undici, ours) => {
    if (undici && ours) assert.deepEqual(ours, undici, bytes)
    else if (!undici && !UNDICI_ALONE.test(bytes)) assert.equal(ours, undefined, `undici refuses ${bytes}`)
  })
})

async function compare(
  answers: Buffer[],
  check: (bytes: string, undici: Reading, ours: Reading) => void,
): Promise<void> {
  played = answers
  const left = answers.keys()
  await Promise.all(
    lanes.map(async (lane) => {
      for (const index of left) {
        const [undici, ours] = [await lane.ask(`/${index}`), await askOurs(`/${index}`)]
        check(JSON.stringify(answers[index]!.toString('latin1')), undici, ours)
      }
    }),
  )
}

function play(socket: Socket, request: Buffer): void {
  const index = Number(/^GET \/(\d+)/.exec(request.toString('latin1'))![1])
  socket.end(played[index]!)
}

async function askOurs(path: string): Promise<Reading> {
  const request = { method: 'GET' as const, url: origin + path, headers: {}, body: null }
  const timeouts = { headersMs: 600_000, idleMs: 600_000 }
  const options = { signal: new AbortController().signal, timeouts, owner: 'owner' }
  try {
    const { status, headers, body } = await upstream.send(request, options)
    let text = ''
    for await (const chunk of body) text += Buffer.from(chunk).toString('latin1')
    return { status, headers, body: text }
  } catch (error) {
    assert.equal((error as Error).constructor.name, 'WireFailure')
    return undefined
  }
}

function goodAnswer(): fc.Arbitrary<Buffer> {
  const status = fc.constantFrom(
    '200 OK',
    '200',
    '200 ',
    '404 Not Found',
    '503 \xe4',
    '204 No Content',
    '304 Not Modified',
  )
  const first = fc.tuple(fc.constantFrom('HTTP/1.1 ', 'HTTP/1.0 '), status).map((parts) => parts.join(''))
  const early = fc.constantFrom('', '', '', 'HTTP/1.1 102 Processing\r\n\r\n', 'HTTP/1.1 103 \r\nlink: <a>\r\n\r\n')
  return fc
    .tuple(early, first, fc.array(header(), { maxLength: 5 }), framed())
    .map(([before, line, headers, { header, body }]) => {
      const isEmpty = / (204|304)/.test(line)
      const lines = [line, ...headers, ...(isEmpty || !header ? [] : [header])]
      return Buffer.from(`${before}${lines.join('\r\n')}\r\n\r\n${isEmpty ? '' : body}`, 'latin1')
    })
}

function header(): fc.Arbitrary<string> {
  const name = fc.constantFrom(
    'Content-Type',
    'x-request-id',
    'Set-Cookie',
    'set-cookie',
    'VARY',
    'constructor',
    'x_y.z!',
  )
  const value = fc.array(fc.constantFrom('a', 'B', '0', ' ', '\t', ',', ';', ':', '"', '\x80', '\xff'), {
    maxLength: 8,
  })
  const words = fc.constantFrom('Connection: close', 'Connection: keep-alive', 'Keep-Alive: timeout=5', 'X:')
  const free = fc.tuple(name, fc.constantFrom(':', ': ', ':\t '), value).map(([a, b, c]) => `${a}${b}${c.join('')}`)
  return fc.oneof(free, free, words)
}

function framed(): fc.Arbitrary<{ header: string; body: string }> {
  const text = fc.array(fc.constantFrom('a', '0', '\r\n', '\n', '\x00', '\xff', ' ', 'HTTP/1.1 200 OK\r\n'), {
    maxLength: 12,
  })
  const body = text.map((parts) => parts.join(''))
  const extension = fc.constantFrom('', '', '', ';a', ';a=b', ';a="b c"')
  const trailers = fc.constantFrom('', '', 'x: y\r\n', 'x:\r\nY: z\r\n')
  return fc.oneof(
    body.map((body) => ({ header: `Content-Length: ${body.length}`, body })),
    body.map((body) => ({ header: '', body })),
    fc.tuple(fc.array(body, { maxLength: 4 }), extension, trailers).map(([chunks, extension, trailers]) => ({
      header: 'Transfer-Encoding: chunked',
      body: `${chunks
        .filter(Boolean)
        .map((chunk) => `${chunk.length.toString(16)}${extension}\r\n${chunk}\r\n`)
        .join('')}0\r\n${trailers}\r\n`,
    })),
  )
}

/** A valid answer with one or two bytes removed, added or changed. */
function mutant(): fc.Arbitrary<Buffer> {
  const byte = fc.constantFrom(...'\r\n \t:;,="-+0159aAfgxhC\x00\x01\x0b\x7f\x80\xa0\xff/.')
  const change = fc.tuple(fc.constantFrom('insert', 'replace', 'remove', 'double', 'cut'), fc.nat(), byte)
  return fc
    .tuple(goodAnswer(), fc.array(change, { minLength: 1, maxLength: 2 }))
    .map(([bytes, changes]) => changes.reduce((text, change) => changed(text, ...change), bytes.toString('latin1')))
    .map((text) => Buffer.from(text, 'latin1'))
}

function changed(text: string, kind: string, where: number, byte: string): string {
  // Most faults are in the head.
  const at = where % Math.max(1, where % 4 === 0 ? text.length : text.indexOf('\r\n\r\n') + 4)
  const [before, after] = [text.slice(0, at), text.slice(at)]
  if (kind === 'insert') return before + byte + after
  if (kind === 'replace') return before + byte + after.slice(1)
  if (kind === 'remove') return before + after.slice(1)
  if (kind === 'double') return before + after.slice(0, 20) + after
  return before
}
