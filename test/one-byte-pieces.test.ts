import type { FastifyRequest } from 'fastify'
import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { openDisk } from '../src/platform/blobs/disk.ts'
import { pdfPages } from '../src/base/sniff/pdf-pages.ts'
import { readAll } from '../src/calls/files/read-all.ts'
import { TempFiles } from '../src/calls/files/temp-files.ts'
import { ImageJsonReader, PROVIDER } from '../src/calls/files/image-json-reader.ts'
import { toTempFile } from '../src/calls/files/temp-file-writer.ts'
import { UsageTail } from '../src/money/billing/usage-tail.ts'
import { MemoryBudget } from '../src/calls/memory-budget.ts'
import { readBody } from '../src/http/read-body.ts'
import { readField, readMultipart } from '../src/http/forms/multipart.ts'
import { AwsEventStream } from '../src/platform/net/aws-event-stream.ts'
import { BodyQueue } from '../src/platform/net/body-queue.ts'
import { EventReader } from '../src/platform/net/event-reader.ts'
import { ResponseReader } from '../src/platform/net/http1/response-reader.ts'
import { readText } from '../src/platform/net/read-text.ts'
import { SniffedBody } from '../src/platform/net/sniffed-body.ts'
import { eventFrame } from './fakes/aws-frames.ts'
import { assertLoopLinear, GROWTH } from './fakes/cpu.ts'
import { sample } from './soak/sample.ts'

// Bytes arrive in pieces of any size: TCP segments, HTTP chunks, lines, frames. The result of a reader must not depend on
// the pieces, and its work must grow only with their number.

const FEW_BYTES = 1_000
/** Work that moves for every piece what has arrived shows only with longer pieces. */
const PIECE_BYTES = { head: 2, items: 64, plain: 512 }
const FEW_PIECES = sample(500, 1_500)

type Pieces = AsyncIterable<Uint8Array>
/** `head`: no more than some kilobytes are read. `items`: every few bytes are work. */
type Reader = {
  bytes(size: number): string | Uint8Array
  read(pieces: Pieces): Promise<unknown>
  kind?: 'head' | 'items'
}

const folder = await mkdtemp(join(tmpdir(), 'gatehouse-pieces-'))
after(() => rm(folder, { recursive: true }))

const OK = 'HTTP/1.1 200 OK\r\n'
const FORM = '--b\r\nContent-Disposition: form-data; name="a"'

const READERS: Record<string, Reader> = {
  'the head of an answer': {
    bytes: (size) => `${OK}x: ${'y'.repeat(size)}\r\ncontent-length: 0\r\n\r\n`,
    read: answer,
    kind: 'head',
  },
  'the head of an answer, in short lines': {
    bytes: (size) => `${OK}${'x: y\r\n'.repeat(size / 6)}content-length: 0\r\n\r\n`,
    read: answer,
    kind: 'head',
  },
  'an answer in chunks': {
    bytes: (size) => `${OK}transfer-encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(size / 6)}0\r\n\r\n`,
    read: answer,
    kind: 'items',
  },
  'an answer in chunks with extensions': {
    bytes: (size) =>
      `${OK}transfer-encoding: chunked\r\n\r\n${`1;${'e'.repeat(1_000)}\r\na\r\n`.repeat(size / 1_000)}0\r\n\r\n`,
    read: answer,
    kind: 'items',
  },
  'a queue of what has arrived': { bytes: text, read: queued },
  'a long line of a stream': { bytes: (size) => `data: ${'ä'.repeat(size / 2)}\n\n`, read: events },
  'many lines of a stream': { bytes: (size) => `${'data:x\r\n'.repeat(size / 8)}\r\n`, read: events, kind: 'items' },
  'many events of a stream': { bytes: (size) => 'data:x\n\n'.repeat(size / 8), read: events, kind: 'items' },
  'lines of a stream that make no sense': { bytes: (size) => 'x\n'.repeat(size / 2), read: events, kind: 'items' },
  'a large AWS frame': { bytes: (size) => eventFrame('a', { text: text(size) }), read: awsEvents, kind: 'items' },
  'small AWS frames': {
    bytes: (size) => Buffer.concat(Array<Uint8Array>(size / 100).fill(eventFrame('a', {}))),
    read: awsEvents,
    kind: 'items',
  },
  'white space in front of an answer': {
    bytes: (size) => `\ufeff${' \r\n'.repeat(size / 3)}{}\n{}`,
    read: sniffed,
    kind: 'items',
  },
  'the first line of an answer': { bytes: (size) => `{"a":"${text(size)}"}\n${text(size)}`, read: sniffed },
  'a whole answer': { bytes: text, read: (pieces) => readText(pieces, 1e9) },
  'a file': { bytes: text, read: async (pieces) => digest(await readAll(pieces)) },
  'a file on its way to the disk': { bytes: text, read: stored },
  'an image in a temp file': { bytes: text, read: intoTempFile },
  'JSON with a long string': { bytes: (size) => `{"b64_json":"${text(size)}"}`, read: imageJson },
  'JSON with short strings': { bytes: (size) => `[${'"","\\\\",'.repeat(size / 8)}0]`, read: imageJson, kind: 'items' },
  'the last events of a stream': { bytes: text, read: tail },
  'the headers of a form': {
    bytes: (size) => `${`${FORM}; filename="${'f'.repeat(900)}"\r\n\r\nx\r\n`.repeat(size / 1_000)}--b--`,
    read: form,
    kind: 'head',
  },
  'a field of a form': { bytes: (size) => `${FORM}\r\n\r\n${text(size)}\r\n--b--`, read: form, kind: 'items' },
  'what looks like the end of a part': {
    bytes: (size) => `${FORM}\r\n\r\n${'\r\n--'.repeat(size / 4)}\r\n--b--`,
    read: form,
    kind: 'items',
  },
  'the body of a request': { bytes: text, read: body },
  'a PDF': {
    bytes: (size) => `%PDF-1.4\n${'1 0 obj\n<</Type/Page>>\nendobj\n'.repeat(size / 30)}`,
    read: pdfPages,
    kind: 'items',
  },
  'a PDF of one object': {
    bytes: (size) => `1 0 obj\n<<${'/A 1 '.repeat(size / 5)}>>\nendobj\n`,
    read: pdfPages,
    kind: 'items',
  },
}

for (const [name, { bytes, read, kind = 'plain' }] of Object.entries(READERS))
  test(`${name}: byte by byte it is read as it is in one piece, and the work grows with the bytes`, async () => {
    const few = Buffer.from(bytes(FEW_BYTES) as string)
    assert.deepEqual(await read(inPieces(few, 1)), await read(inPieces(few, few.length)))
    assert.deepEqual(await read(inPieces(few, 7)), await read(inPieces(few, few.length)))
    const piece = PIECE_BYTES[kind]
    const texts = [1, GROWTH].map((times) => Buffer.from(bytes(times * FEW_PIECES * piece) as string))
    await assertLoopLinear(name, (times) => read(inPieces(texts[times === 1 ? 0 : 1]!, piece)), 1)
  })

test('a queue of hundreds of thousands of pieces is emptied in time proportional to their number', async () => {
  const piece = Buffer.from('a')
  const work = async (pieces: number) => {
    const queue = new BodyQueue({ pause() {}, resume() {}, abort() {} })
    for (let pushed = 0; pushed < pieces; pushed++) queue.push(piece, true)
    queue.end()
    assert.equal((await readAll(queue)).length, pieces)
  }
  await assertLoopLinear('pieces', work, 12_500)
})

test('bytes that come one by one are written to a disk in a few blocks', async () => {
  const bytes = Buffer.from(text(8_000))
  for (const write of [stored, intoTempFile]) {
    const before = await writesSoFar()
    await write(inPieces(bytes, 1))
    const writes = (await writesSoFar()) - before
    assert.ok(writes < bytes.length / 4, `${writes} calls of the system for ${bytes.length} bytes`)
  }
})

test('lines that make no sense take time proportional to their number', async () => {
  const work = (lines: number) => events(inPieces(Buffer.from('x\n'.repeat(lines)), 64 * 1024))
  await assertLoopLinear('lines', work, 20 * 1024)
})

test('thousands of events in one read are handed out in batches, with a turn of the loop in between', async () => {
  const reader = new EventReader(inPieces(Buffer.from('data:x\n\n'.repeat(8_000)), 64 * 1024))
  let [turns, count] = [0, 0]
  const turn = () => {
    turns++
    turning = setImmediate(turn)
  }
  let turning = setImmediate(turn)
  const sizes: number[] = []
  for (let batch = await reader.next(); batch; batch = await reader.next()) sizes.push(batch.length)
  clearImmediate(turning)
  for (const size of sizes) count += size
  assert.ok(Math.max(...sizes) <= 512)
  assert.ok(count === 8_000 && turns >= 10, `${count} events, ${turns} turns`)
})

/** How often this process has written anything. Only Linux counts that. */
async function writesSoFar(): Promise<number> {
  const counters = await readFile('/proc/self/io', 'utf8').catch(() => '')
  return Number(/syscw: (\d+)/.exec(counters)?.[1] ?? 0)
}

/** This is not a generator, which would cost more than most readers. */
function inPieces(bytes: Buffer, size: number): AsyncIterableIterator<Uint8Array> {
  let at = 0
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: async () => {
      if (at >= bytes.length) return { done: true, value: undefined }
      const value = bytes.subarray(at, at + size)
      at += size
      return { done: false, value }
    },
  }
}

function text(size: number): string {
  return 'abcdefgh'.repeat(size / 8)
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

async function answer(pieces: Pieces): Promise<unknown> {
  const reported = { status: 0, names: 0, bytes: 0, isWhole: false }
  const reader = new ResponseReader({
    head: (status, headers) => Object.assign(reported, { status, names: Object.keys(headers).length }),
    data: (lent) => (reported.bytes += lent.length),
    end: () => (reported.isWhole = true),
  })
  reader.begin()
  for await (const piece of pieces) reader.feed(piece as Buffer)
  return reported
}

/** All pieces arrive before the reader starts. */
async function queued(pieces: Pieces): Promise<unknown> {
  const queue = new BodyQueue({ pause() {}, resume() {}, abort() {} })
  for await (const piece of pieces) queue.push(piece, true)
  queue.end()
  return digest(await readAll(queue))
}

async function events(pieces: Pieces): Promise<unknown> {
  const reader = new EventReader(pieces)
  const all = []
  for (let batch = await reader.next(); batch; batch = await reader.next()) all.push(...batch)
  return digest(Buffer.from(JSON.stringify(all)))
}

async function sniffed(pieces: Pieces): Promise<unknown> {
  const body = new SniffedBody(pieces, () => undefined)
  const first = await body.firstByte()
  const line = await body.firstLine(1e9)
  return { first, line, rest: digest(await readAll(body.replay())) }
}

async function awsEvents(pieces: Pieces): Promise<unknown> {
  const reader = new AwsEventStream(pieces)
  const all = []
  for (let batch = await reader.next(); batch; batch = await reader.next()) all.push(...batch)
  return digest(Buffer.from(JSON.stringify(all)))
}

async function stored(pieces: Pieces): Promise<unknown> {
  const { sha256, size, head } = await (await openDisk(folder)).write(randomUUID(), pieces, { maxBytes: 1e9 })
  return { sha256, size, head: digest(head) }
}

async function intoTempFile(pieces: Pieces): Promise<unknown> {
  const tempFiles = new TempFiles(folder, 'owner')
  try {
    const { length, head, read } = await toTempFile(pieces, tempFiles)
    return { length, head: digest(head), bytes: digest(await readAll(read())) }
  } finally {
    await tempFiles.close()
  }
}

async function imageJson(pieces: Pieces): Promise<unknown> {
  const tempFiles = new TempFiles(folder, 'owner')
  try {
    const json = new ImageJsonReader(tempFiles, 'secret', PROVIDER)
    for await (const piece of pieces) await json.push(piece)
    return digest(json.end())
  } finally {
    await tempFiles.close()
  }
}

async function tail(pieces: Pieces): Promise<unknown> {
  const tail = new UsageTail()
  for await (const piece of pieces) tail.add(piece)
  return tail.takeText().slice(-60_000)
}

async function form(pieces: Pieces): Promise<unknown> {
  const parts: unknown[] = []
  for await (const part of readMultipart('multipart/form-data; boundary=b', pieces)) parts.push(await readField(part))
  return digest(Buffer.from(JSON.stringify(parts)))
}

function body(pieces: Pieces): Promise<unknown> {
  const request = { headers: {}, routeOptions: { bodyLimit: 1e9 } } as unknown as FastifyRequest
  const memory = new MemoryBudget({ capacity: 1e10 })
  return new Promise((resolve, reject) =>
    readBody(
      request,
      Readable.from(pieces),
      () => memory.lease('any'),
      (error, bytes) => (error ? reject(error) : resolve(digest(bytes!))),
    ),
  )
}
