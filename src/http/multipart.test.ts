import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Problem } from '../contract/problems.ts'
import { type MultipartLimits, type Part, readField, readMultipart } from './multipart.ts'

const BOUNDARY = '----boundary42'
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`
const MEGABYTE = 1024 * 1024

type Sent = { headers: string; content: Buffer | string }

describe('a form', () => {
  const parts: Sent[] = [
    { headers: 'Content-Disposition: form-data; name="purpose"', content: 'ocr' },
    { headers: 'Content-Disposition: form-data; name="empty"', content: '' },
    {
      headers: 'content-disposition:form-data; name="file"; filename="a b.bin"\r\nContent-Type: image/png',
      content: Buffer.from('\r\n--\r\n----bound\r\r\n\n\r\n------boundary4\0\xff', 'latin1'),
    },
    { headers: 'Content-Disposition: form-data; name="größe"', content: '\r\n' },
  ]
  const body = form(parts)
  const expected = [
    { name: 'purpose', content: 'ocr' },
    { name: 'empty', content: '' },
    { name: 'file', filename: 'a b.bin', contentType: 'image/png', content: parts[2]!.content.toString('latin1') },
    { name: 'größe', content: '\r\n' },
  ]

  test('gives its parts', async () => assert.deepEqual(await readAll([body]), expected))

  test('gives the same parts when it is cut in two, at every byte', async () => {
    for (let cut = 0; cut <= body.length; cut++)
      assert.deepEqual(await readAll([body.subarray(0, cut), body.subarray(cut)]), expected, `cut at ${cut}`)
  })

  test('gives the same parts byte by byte, and in any pieces', async () => {
    assert.deepEqual(await readAll(pieces(body, 1)), expected)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 100 }), async (size) =>
        assert.deepEqual(await readAll(pieces(body, size)), expected),
      ),
      { numRuns: 60 },
    )
  })

  test('may have something before and after, and spaces behind its boundaries', async () => {
    const odd = body.toString('latin1').replaceAll(`--${BOUNDARY}\r\n`, `--${BOUNDARY} \t \r\n`)
    const wrapped = Buffer.from(`This is a form.\r\n${odd}The end.`, 'latin1')
    for (const size of [1, 7, 1000]) assert.deepEqual(await readAll(pieces(wrapped, size)), expected)
  })

  test('may be empty', async () => assert.deepEqual(await readAll([Buffer.from(`--${BOUNDARY}--\r\n`)]), []))

  test('of any content comes back as it went', async () => {
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc
        .array(fc.constantFrom('\r', '\n', '-', '--', '----boundary4', '\r\n--', 'x'), { maxLength: 30 })
        .map((words) => Buffer.from(words.join(''))),
    )
    await fc.assert(
      fc.asyncProperty(content, fc.integer({ min: 1, max: 50 }), async (bytes, size) => {
        const sent = form([{ headers: 'Content-Disposition: form-data; name="f"; filename="f"', content: bytes }])
        assert.deepEqual((await readAll(pieces(sent, size)))[0]?.content, bytes.toString('latin1'))
      }),
      { numRuns: 300 },
    )
  })
})

describe('over a socket', () => {
  test('what a real client sends is understood, and a form that is refused in the middle gets its answer', async () => {
    const server = createServer(async (request, response) => {
      const source = request.iterator({ destroyOnReturn: false })
      const limits = { maxFieldBytes: 10 }
      try {
        const names: string[] = []
        for await (const part of readMultipart(request.headers['content-type'] ?? '', source, limits))
          names.push(`${part.name}|${part.filename}|${part.contentType}|${(await buffer(part.bytes)).length}`)
        response.end(names.join(' '))
      } catch (error) {
        response.writeHead((error as Problem).status, { connection: 'close' }).end((error as Problem).message)
      }
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const send = new FormData()
    send.set('größe"', 'klein')
    send.set('file', new File([randomBytes(200_000)], 'Bild "1".png', { type: 'image/png' }))
    const good = await fetch(url, { method: 'POST', body: send })
    assert.equal(await good.text(), 'größe"|undefined|undefined|5 file|Bild "1".png|image/png|200000')
    send.set('größe"', 'x'.repeat(100_000))
    const refused = await fetch(url, { method: 'POST', body: send })
    assert.equal(refused.status, 413)
    assert.match(await refused.text(), /larger than 10 bytes/)
    server.closeAllConnections()
    await once(server.close(), 'close')
  })
})

describe('reading', () => {
  test('what is not read of a part is skipped, and a part that was left gives no more', async () => {
    const sent = form([file('a', randomBytes(300_000)), file('b', randomBytes(300_000)), field('c', 'here')])
    const [names, seen]: [string[], Part[]] = [[], []]
    for await (const part of readMultipart(TYPE, from(pieces(sent, 10_000)))) {
      names.push(part.name)
      seen.push(part)
      if (part.name === 'b') for await (const chunk of part.bytes) if (chunk.length > 0) break
      if (part.name === 'c') assert.equal(await readField(part), 'here')
    }
    assert.deepEqual(names, ['a', 'b', 'c'])
    await assert.rejects(buffer(seen[0]!.bytes), /left behind/)
  })

  test('nothing is read before it is asked for', async () => {
    let pulled = 0
    const source = async function* () {
      for (const piece of pieces(form([file('a', randomBytes(MEGABYTE))]), 10_000)) {
        pulled++
        yield piece
      }
    }
    const parts = readMultipart(TYPE, source())
    assert.equal(pulled, 0)
    const { value: part } = await parts.next()
    assert.equal(pulled, 1)
    const bytes = (part as Part).bytes[Symbol.asyncIterator]()
    for (let chunk = 1; chunk <= 5; chunk++) {
      await bytes.next()
      assert.equal(pulled, chunk)
    }
    await parts.return(undefined)
  })

  test('leaving early closes the source, and a source that fails is passed on as it is', async () => {
    let closed = false
    const source = async function* () {
      try {
        yield form([file('a', 'x'), file('b', 'y')])
      } finally {
        closed = true
      }
    }
    for await (const part of readMultipart(TYPE, source())) if (part.name === 'a') break
    assert.equal(closed, true)
    const reason = new Error('the client left')
    const failing = async function* () {
      yield form([file('a', 'x')]).subarray(0, -20)
      throw reason
    }
    await assert.rejects(drain(failing()), (error) => error === reason)
  })
})

describe('headers of a part', () => {
  const GOOD: [string, { name: string; filename?: string; contentType?: string }][] = [
    ['Content-Disposition: form-data; name=bare', { name: 'bare' }],
    ['CONTENT-DISPOSITION: FORM-DATA; NAME="n"; FILENAME="f"', { name: 'n', filename: 'f' }],
    [
      'Content-Disposition: form-data; name="a\\"b"; filename="C:\\dir\\f.txt"',
      { name: 'a"b', filename: 'C:\\dir\\f.txt' },
    ],
    ['Content-Disposition: form-data; name="a%22b"; filename="100%25.txt"', { name: 'a"b', filename: '100%25.txt' }],
    ['Content-Disposition: form-data; name="f"; filename=""', { name: 'f', filename: '' }],
    ['Content-Disposition: form-data; name="f"; filename="; name=x"', { name: 'f', filename: '; name=x' }],
    [
      'Content-Disposition: form-data; name="f"; filename="../../etc/passwd"',
      { name: 'f', filename: '../../etc/passwd' },
    ],
    ['Content-Disposition: form-data; name="f"; filename="東京.png"', { name: 'f', filename: '東京.png' }],
    [
      "Content-Disposition: form-data; name=f; filename=x; filename*=UTF-8''%E6%9D%B1.png",
      { name: 'f', filename: '東.png' },
    ],
    ['Content-Disposition: form-data; name="f";', { name: 'f' }],
    [
      'X-Other: 1\r\nContent-Disposition: form-data; name="f"\r\nContent-Type: text/plain; charset=UTF-8',
      { name: 'f', contentType: 'text/plain; charset=UTF-8' },
    ],
    [
      'Content-Disposition: form-data; name="f"; filename="a"\r\nContent-Type: text/plain; charset=latin1',
      { name: 'f', filename: 'a', contentType: 'text/plain; charset=latin1' },
    ],
    ['Content-Disposition: form-data; name="f"\r\nContent-Transfer-Encoding: BINARY', { name: 'f' }],
  ]
  for (const [headers, expected] of GOOD)
    test(headers.replaceAll('\r\n', ' | '), async () =>
      assert.deepEqual(await readAll([form([{ headers, content: 'x' }])]), [{ ...expected, content: 'x' }]),
    )

  const BAD: [string, RegExp][] = [
    ['Content-Type: text/plain', /Content-Disposition/],
    ['Content-Disposition: attachment; name="f"', /Content-Disposition/],
    ['Content-Disposition: form-data; name="f', /Content-Disposition/],
    ['Content-Disposition: form-data; name="f"; name="g"', /Content-Disposition/],
    ['Content-Disposition: form-data', /no name/],
    ['Content-Disposition: form-data; filename="f"', /no name/],
    ['Content-Disposition: form-data; name=""', /no name/],
    ['Content-Disposition: form-data; name="f"\r\nContent-Disposition: form-data; name="g"', /twice/],
    ['Content-Disposition: form-data;\r\n name="folded"', /malformed/],
    ['no colon here', /malformed/],
    [': no name', /malformed/],
    ['Content-Disposition : form-data; name="f"', /malformed/],
    ['Content-Disposition: form-data; name="f"\nX-Injected: 1', /malformed/],
    ['Content-Disposition: form-data; name="f"\rX-Injected: 1', /malformed/],
    ['Content-Disposition: form-data; name="f\0"', /malformed/],
    ["Content-Disposition: form-data; name=f; filename*=UTF-8''a%0d%0aSet-Cookie:b", /control/],
    ["Content-Disposition: form-data; name=f; filename*=UTF-8''%ff", /UTF-8/],
    ["Content-Disposition: form-data; name=f; filename*=latin1''x", /UTF-8/],
    ['Content-Disposition: form-data; name="f"\r\nContent-Type: multipart/mixed; boundary=x', /within the form/],
    ['Content-Disposition: form-data; name="f"\r\nContent-Type: text/plain; charset=utf-16', /UTF-8/],
    ['Content-Disposition: form-data; name="f"\r\nContent-Transfer-Encoding: base64', /Encoding/],
  ]
  for (const [headers, sentence] of BAD)
    test(`refused: ${JSON.stringify(headers)}`, () =>
      assert.rejects(drain(from([form([{ headers, content: 'x' }])])), refusal('validation_error', sentence)))

  test('refused: bytes that are not UTF-8', async () => {
    const broken = Buffer.from(
      form([field('f\xff', 'x')])
        .toString('utf8')
        .replace('\xff', '\u0001'),
      'latin1',
    )
    broken[broken.indexOf(1)] = 0xff
    await assert.rejects(drain(from([broken])), refusal('validation_error', /UTF-8/))
  })
})

describe('forms that are refused', () => {
  const whole = form([field('a', 'x')])
  const BODIES: [string, Buffer | string, RegExp][] = [
    ['nothing at all', '', /ends before/],
    ['another boundary', whole.toString().replaceAll(BOUNDARY, 'other'), /ends before/],
    ['no headers', `--${BOUNDARY}\r\n\r\nx\r\n--${BOUNDARY}--`, /no name/],
    ['headers only', `--${BOUNDARY}\r\nContent-Disposition: form-data; name="f"\r\n`, /ends before/],
    [
      'a boundary with something behind it',
      whole.toString().replace(`x\r\n--${BOUNDARY}`, `x\r\n--${BOUNDARY}!`),
      /boundary/,
    ],
    ['a boundary in the content', form([file('a', `x\r\n--${BOUNDARY}x`)]), /boundary/],
    ['a long beginning that is no form', 'x'.repeat(9_000), /begin/],
    ['a long end', `${whole}${'x'.repeat(9_000)}`, /goes on/],
  ]
  for (const [name, body, sentence] of BODIES)
    test(name, async () => {
      for (const size of [1, 100_000])
        await assert.rejects(
          drain(from(pieces(Buffer.from(body as string), size))),
          refusal('validation_error', sentence),
        )
    })

  test('cut anywhere before its last boundary is whole', async () => {
    const end = whole.lastIndexOf('--') + 2
    for (let cut = 0; cut < end; cut++)
      await assert.rejects(drain(from([whole.subarray(0, cut)])), refusal('validation_error', /ends before/), `${cut}`)
    await drain(from([whole.subarray(0, end)]))
  })

  const TYPES: [string, 'validation_error' | 'unsupported_media_type', RegExp][] = [
    ['multipart/form-data', 'validation_error', /no boundary/],
    ['multipart/form-data; boundary=', 'validation_error', /no boundary/],
    ['multipart/form-data; boundary="unclosed', 'validation_error', /no boundary/],
    ['multipart/form-data; boundary=a; boundary=b', 'validation_error', /no boundary/],
    [`multipart/form-data; boundary=${'x'.repeat(71)}`, 'validation_error', /not a valid/],
    ['multipart/form-data; boundary="a\r\nb"', 'validation_error', /not a valid/],
    ['multipart/mixed; boundary=x', 'unsupported_media_type', /multipart\/form-data/],
    ['application/json', 'unsupported_media_type', /multipart\/form-data/],
    ['', 'unsupported_media_type', /multipart\/form-data/],
  ]
  for (const [type, code, sentence] of TYPES)
    test(`Content-Type ${JSON.stringify(type).slice(0, 60)}`, () =>
      assert.rejects(readMultipart(type, from([whole])).next(), refusal(code, sentence)))

  test('boundaries of every allowed kind work', async () => {
    for (const boundary of ["'()+_,-./:=?", 'a b', 'x', 'y'.repeat(70)]) {
      const body = Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="f"\r\n\r\nv\r\n--${boundary}--`)
      for await (const part of readMultipart(
        `Multipart/Form-Data; charset=utf-8; boundary="${boundary}"`,
        from([body]),
      ))
        assert.equal(await readField(part), 'v')
    }
  })
})

describe('limits', () => {
  test('100 parts pass and 101 do not; 10,000 are refused at the 101st', async () => {
    const many = (count: number) => form(Array.from({ length: count }, (_, index) => field(`f${index}`, 'x')))
    assert.equal((await readAll([many(100)])).length, 100)
    for (const count of [101, 10_000])
      await assert.rejects(drain(from(pieces(many(count), 65_536))), refusal('too_large', /100 parts/))
  })

  test('headers of 8 KB pass; larger ones do not, even when they never end', async () => {
    const long = (bytes: number) => {
      const start = 'Content-Disposition: form-data; name="f"\r\nX: '
      return form([{ headers: start + 'x'.repeat(bytes - start.length), content: 'v' }])
    }
    for (const size of [1_000, 100_000]) {
      assert.equal((await readAll(pieces(long(8_192), size))).length, 1)
      await assert.rejects(drain(from(pieces(long(8_193), size))), refusal('too_large', /headers/))
      await assert.rejects(drain(from(pieces(long(MEGABYTE), size))), refusal('too_large', /headers/))
    }
    let pulled = 0
    const endless = async function* () {
      yield Buffer.from(`--${BOUNDARY}\r\n`)
      for (; ; pulled++) yield Buffer.alloc(1_000, 'x')
    }
    await assert.rejects(drain(endless()), refusal('too_large', /headers/))
    assert.ok(pulled < 12)
  })

  test('a field has its limit, a file has none here', async () => {
    const limits = { maxFieldBytes: 1_000 }
    assert.equal((await readAll([form([field('f', 'x'.repeat(1_000))])], limits)).length, 1)
    const over = from([form([field('f', 'x'.repeat(1_001))])])
    await assert.rejects(drain(over, limits), refusal('too_large', /field/))
    assert.equal((await readAll([form([file('f', 'x'.repeat(5_000))])], limits))[0]?.content.length, 5_000)
  })

  test('a field that is not UTF-8 is refused by name', async () => {
    const sent = form([{ headers: 'Content-Disposition: form-data; name="purpose"', content: Buffer.from([0xff]) }])
    await assert.rejects(
      async () => {
        for await (const part of readMultipart(TYPE, from([sent]))) await readField(part)
      },
      (error) => error instanceof Problem && error.details.param === 'purpose',
    )
  })

  test('a large file passes through without being held', async () => {
    const chunk = randomBytes(65_536)
    const source = async function* () {
      yield Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n`)
      for (let sent = 0; sent < 100 * MEGABYTE; sent += chunk.length) yield chunk
      yield Buffer.from(`\r\n--${BOUNDARY}--\r\n`)
    }
    let [size, largest] = [0, 0]
    for await (const part of readMultipart(TYPE, source()))
      for await (const piece of part.bytes) {
        size += piece.length
        largest = Math.max(largest, piece.length)
      }
    assert.equal(size, 100 * MEGABYTE)
    assert.ok(largest <= 65_536 + 100)
  })
})

function form(parts: Sent[]): Buffer {
  const pieces = parts.map(({ headers, content }) =>
    Buffer.concat([
      Buffer.from(`--${BOUNDARY}\r\n${headers}\r\n\r\n`),
      Buffer.from(content as string),
      Buffer.from('\r\n'),
    ]),
  )
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)])
}

function field(name: string, content: string): Sent {
  return { headers: `Content-Disposition: form-data; name="${name}"`, content }
}

function file(name: string, content: Buffer | string): Sent {
  return { headers: `Content-Disposition: form-data; name="${name}"; filename="${name}.bin"`, content }
}

async function readAll(chunks: Iterable<Uint8Array>, limits?: MultipartLimits) {
  const parts: (Omit<Part, 'bytes'> & { content: string })[] = []
  for await (const { bytes, ...headers } of readMultipart(TYPE, from(chunks), limits))
    parts.push({ ...headers, content: (await buffer(bytes)).toString('latin1') })
  return parts
}

async function drain(source: AsyncIterable<Uint8Array>, limits?: MultipartLimits): Promise<void> {
  for await (const { bytes } of readMultipart(TYPE, source, limits)) await buffer(bytes)
}

async function* from(chunks: Iterable<Uint8Array>) {
  yield* chunks
}

function* pieces(bytes: Buffer, size: number) {
  for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size)
}

function refusal(code: string, sentence: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof Problem, String(error))
    assert.equal(error.code, code)
    assert.match(error.message, sentence)
    if (code === 'validation_error') assert.equal(error.details.detail?.[0]?.loc[0], 'body')
    return true
  }
}
