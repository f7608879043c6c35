import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sample } from '../../../../test/soak/sample.ts'
import { feed, readAnswer } from './fixtures/read-answer.ts'
import { ResponseReader } from './response-reader.ts'

const LENGTH = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'
const CHUNKED = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n`

/** Valid answers, and what they contain. */
const GOOD: Record<string, { bytes: string; body: string; status?: number; keepsAlive?: boolean }> = {
  'by length': { bytes: LENGTH, body: 'hello' },
  'an empty body': { bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', body: '' },
  'a length with zeros before it': { bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 005\r\n\r\nhello', body: 'hello' },
  'spaces and tabs around a value': { bytes: 'HTTP/1.1 200 OK\r\nContent-Length:\t 5 \t\r\n\r\nhello', body: 'hello' },
  'no reason': { bytes: 'HTTP/1.1 200 \r\nContent-Length: 5\r\n\r\nhello', body: 'hello' },
  'not even a space after the status': { bytes: 'HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello', body: 'hello' },
  'a reason in another script': { bytes: 'HTTP/1.1 200 \xe4\xf6\r\nContent-Length: 5\r\n\r\nhello', body: 'hello' },
  'a body that looks like an answer': {
    bytes: `HTTP/1.1 200 OK\r\nContent-Length: ${LENGTH.length}\r\n\r\n${LENGTH}`,
    body: LENGTH,
  },
  'in chunks': { bytes: `${CHUNKED}5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n`, body: 'hello!' },
  'in no chunks': { bytes: `${CHUNKED}0\r\n\r\n`, body: '' },
  'chunks in capital letters': {
    bytes: `${CHUNKED}A\r\n0123456789\r\na\r\n9876543210\r\n0\r\n\r\n`,
    body: '01234567899876543210',
  },
  'chunks with zeros before the size': { bytes: `${CHUNKED}0005\r\nhello\r\n0000\r\n\r\n`, body: 'hello' },
  'chunks that hold line ends': { bytes: `${CHUNKED}7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n`, body: '\r\n0\r\n\r\n' },
  'chunks with extensions': {
    bytes: `${CHUNKED}5;a;b=c;d="e; \\"f\xe4"\r\nhello\r\n0;last\r\n\r\n`,
    body: 'hello',
  },
  'chunks and trailers': {
    bytes: `${CHUNKED}5\r\nhello\r\n0\r\nX-One: 1\r\nx-two:\t\xe4 \r\nx-three:\r\n\r\n`,
    body: 'hello',
  },
  'the coding in capital letters': {
    bytes: 'HTTP/1.1 200 OK\r\nTRANSFER-ENCODING: Chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
    body: 'x',
  },
  'until the end': { bytes: 'HTTP/1.1 200 OK\r\n\r\nhello', body: 'hello', keepsAlive: false },
  'until the end, with nothing': { bytes: 'HTTP/1.1 200 OK\r\n\r\n', body: '', keepsAlive: false },
  'no content': { bytes: 'HTTP/1.1 204 No Content\r\n\r\n', body: '', status: 204 },
  'not modified, and how long it would be': {
    bytes: 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n',
    body: '',
    status: 304,
  },
  'after a 100': { bytes: `HTTP/1.1 100 Continue\r\n\r\n${LENGTH}`, body: 'hello' },
  'after hints': {
    bytes: `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n${LENGTH}`,
    body: 'hello',
  },
  'of HTTP/1.0': { bytes: 'HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello', body: 'hello', keepsAlive: false },
  'an error': { bytes: 'HTTP/1.1 529 \r\nContent-Length: 2\r\n\r\n{}', body: '{}', status: 529 },
}

for (const [name, { bytes, body, status = 200, keepsAlive = true }] of Object.entries(GOOD))
  test(`an answer ${name} is read, wherever it is cut`, () => {
    const whole = readAnswer(bytes)
    assert.equal(whole.failure, undefined)
    assert.deepEqual(
      { status: whole.status, body: whole.body, keepsAlive: whole.keepsAlive, isWhole: whole.isWhole },
      { status, body, keepsAlive, isWhole: true },
    )
    for (let cut = 1; cut < bytes.length; cut++) assert.deepEqual(readAnswer(bytes, [cut]), whole, `cut at ${cut}`)
    assert.deepEqual(readAnswer(bytes, [...Array(bytes.length).keys()]), whole, 'byte by byte')
  })

test('random bodies in random chunks, cut at random places, come out as they went in', () => {
  const chunk = fc.uint8Array({ minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(
      fc.array(chunk, { maxLength: 12 }),
      fc.array(fc.nat(), { maxLength: 12 }),
      fc.boolean(),
      (chunks, cuts, isChunked) => {
        const body = Buffer.concat(chunks)
        const framed = isChunked ? inChunks(chunks) : Buffer.concat([head(`content-length: ${body.length}`), body])
        const reading = readAnswer(
          framed,
          cuts.map((cut) => cut % (framed.length + 1)),
        )
        assert.equal(reading.failure, undefined)
        assert.deepEqual([reading.body, reading.keepsAlive], [body.toString('latin1'), true])
      },
    ),
    { numRuns: sample(100, 300) },
  )
})

test('any bytes are read in the same way wherever they are cut', () => {
  const part = fc.constantFrom(
    ...[
      'HTTP/1.1 200 OK\r\n',
      'HTTP/1.0 204\r\n',
      'HTTP/1.1 100 \r\n\r\n',
      'content-length: 3\r\n',
      ' ',
      '\t',
      ':',
      ';',
    ],
    ...[
      'transfer-encoding: chunked\r\n',
      'connection: close\r\n',
      '\r\n',
      '\r',
      '\n',
      '3\r\nabc\r\n',
      '0\r\n\r\n',
      'abc',
    ],
  )
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), fc.array(fc.nat(), { maxLength: 8 }), (parts, cuts) => {
      const bytes = parts.join('')
      assert.deepEqual(
        readAnswer(
          bytes,
          cuts.map((cut) => cut % (bytes.length + 1)),
        ),
        readAnswer(bytes),
      )
    }),
    { numRuns: sample(300, 1_000) },
  )
})

test('thousands of chunks, each with an extension, are one answer', () => {
  const chunks = '1;of=thousands\r\nx\r\n'.repeat(5_000)
  const reading = readAnswer(`${CHUNKED}${chunks}0\r\n\r\n`)
  assert.deepEqual([reading.failure, reading.body.length], [undefined, 5_000])
})

test('one connection, many answers: each begins where the last one ended', () => {
  const bodies: string[] = []
  const reader = new ResponseReader({
    head: () => bodies.push(''),
    data: (lent) => bodies.push(bodies.pop()! + lent),
    end() {},
  })
  for (const bytes of [LENGTH, `${CHUNKED}2\r\nab\r\n0\r\nx: y\r\n\r\n`, 'HTTP/1.1 204 \r\n\r\n', LENGTH]) {
    reader.begin()
    for (const byte of Buffer.from(bytes)) feed(reader, Buffer.from([byte]))
    assert.equal(reader.keepsAlive, true)
  }
  assert.deepEqual(bodies, ['hello', 'ab', '', 'hello'])
})

test('a byte more than the answer spoils the connection, in the same piece or in a later one', () => {
  for (const { bytes, keepsAlive } of Object.values(GOOD)) {
    if (keepsAlive === false) continue
    for (const more of ['!', '\r\n', LENGTH])
      for (const cuts of [[], [bytes.length]]) {
        const reading = readAnswer(bytes + more, cuts)
        assert.deepEqual([reading.isWhole, reading.isSpoilt, reading.keepsAlive], [true, true, false], bytes + more)
      }
  }
})

test('unexpected bytes spoil the connection, and are no answer', () => {
  const reader = new ResponseReader({ head: () => assert.fail(), data: () => assert.fail(), end: () => assert.fail() })
  feed(reader, Buffer.from(LENGTH))
  assert.equal(reader.isSpoilt, true)
})

function head(...lines: string[]): Buffer {
  return Buffer.from(['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n'), 'latin1')
}

function inChunks(chunks: Uint8Array[]): Buffer {
  const framed = chunks.flatMap((chunk) => [
    Buffer.from(`${chunk.length.toString(16)}\r\n`),
    chunk,
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([head('transfer-encoding: chunked'), ...framed, Buffer.from('0\r\n\r\n')])
}
