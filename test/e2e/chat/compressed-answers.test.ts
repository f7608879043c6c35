import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import {
  brotliCompressSync,
  constants,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import type { Behaviour } from '../../fakes/behaviours.ts'
import { messagesOf } from '../../fakes/fold-chunks.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { HEAD } from '../../fakes/whole-answers.ts'
import { sample } from '../../soak/sample.ts'
import { HELLO } from '../../gateway/chat-client.ts'
import { gatewayWithRows, rowPerDialect } from '../../gateway/gateway-with-rows.ts'
import { MB } from '../../../src/base/units/units.ts'

// Answers that are compressed although the gateway did not ask for it.

type Fields = Record<string, unknown>

const PACK: Record<string, (text: string) => Buffer> = {
  gzip: gzipSync,
  'X-GZip': gzipSync,
  deflate: deflateSync,
  'deflate ': deflateRawSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
  'gzip, br': (text) => brotliCompressSync(gzipSync(text)),
}

const { provider, chat } = await gatewayWithRows(rowPerDialect())

for (const [encoding, pack] of Object.entries(PACK))
  test(`an answer in ${encoding} is decoded, whole, streamed and as an error`, async () => {
    const ask = { ...HELLO, model: 'my-openai/packed' }
    provider.next(packed(encoding, pack, JSON.stringify(completionOf('Grüße'))))
    assert.equal((await chat.whole(ask)).completion.choices[0]?.message.content, 'Grüße')
    const events = [
      ...textEvents('Grüße aus Bern').map((event) => `data: ${JSON.stringify(event)}\n\n`),
      'data: [DONE]\n\n',
    ]
    provider.next(packed(encoding, pack, events.join(''), 'text/event-stream'))
    const reply = await chat.stream(ask)
    assert.deepEqual([reply.done, (messagesOf(reply.chunks)[0] as Fields).content], [1, 'Grüße aus Bern'])
    provider.next(packed(encoding, pack, '{"error":{"message":"too odd"}}', 'application/json', 400))
    assert.match((await chat.whole(ask)).failure.error.message, /too odd/)
  })

test('events of a compressed stream are passed on as they arrive', async () => {
  const { promise: arrived, resolve: hasArrived } = Promise.withResolvers<void>()
  provider.next(async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }).flushHeaders()
    const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH })
    gzip.pipe(response)
    const [first, ...others] = [...textEvents('Hi there').slice(0, 2).map(eventText)].join('').split('\n\n\n')
    gzip.write(first)
    await arrived
    gzip.end([...others, ...textEvents('Hi there').slice(2).map(eventText), 'data: [DONE]\n\n'].join(''))
  })
  const response = await chat.post({ ...HELLO, model: 'my-openai/packed', stream: true })
  let text = ''
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    text += piece
    if (text.includes('Hi')) hasArrived()
  }
  assert.match(text, / there[\s\S]*\[DONE\]/)
})

const BOMBS: Record<string, [Behaviour, isStream: boolean]> = {
  'more than an answer may have': [packed('zstd', zstdCompressSync, `"${' '.repeat(65 * MB)}"`), false],
  'more than an event may have': [
    packed('zstd', zstdCompressSync, `data: ${'x'.repeat(33 * MB)}`, 'text/event-stream'),
    true,
  ],
}
const BROKEN_PACKS: Record<string, Behaviour> = {
  'bytes that are not compressed': packed('gzip', Buffer.from, JSON.stringify(completionOf('Hi'))),
  'bytes that end too early': packed(
    'br',
    (text) => brotliCompressSync(text).subarray(0, -9),
    JSON.stringify(completionOf('Hi '.repeat(99))),
  ),
  'an unknown coding': packed('lzma', Buffer.from, JSON.stringify(completionOf('Hi'))),
  'three codings': packed(
    'gzip, gzip, gzip',
    (text) => gzipSync(gzipSync(gzipSync(text))),
    JSON.stringify(completionOf('Hi')),
  ),
}
/** Unpacking so much takes long, so a client that asked for the other kind of answer tries it in the long form only. */
const BOMB_TRIES = sample(1, 2)
const WAYS = [
  ...Object.entries(BOMBS).map(([what, [bomb, isStream]]) => [what, bomb, [isStream, !isStream].slice(0, BOMB_TRIES)]),
  ...Object.entries(BROKEN_PACKS).map(([what, behaviour]) => [what, behaviour, [false, true]]),
] as [string, Behaviour, boolean[]][]
for (const [what, behaviour, ways] of WAYS)
  test(`${what}, compressed: a clean error, and no socket is left open`, async () => {
    provider.always(behaviour)
    for (const isStream of ways) {
      const response = await chat.post({ ...HELLO, model: 'my-openai/bomb', stream: isStream })
      assert.ok([502, 503].includes(response.status), `${response.status}`)
      await response.text()
    }
  })

function completionOf(content: string): Fields {
  return { ...HEAD, choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }] }
}

function packed(
  encoding: string,
  pack: (text: string) => Buffer,
  text: string,
  type = 'application/json',
  code = 200,
): Behaviour {
  let bytes: Buffer | undefined
  return (_: unknown, response: ServerResponse) => {
    bytes ??= pack(text)
    response.writeHead(code, {
      'content-type': type,
      'content-encoding': encoding.trim(),
      'content-length': bytes.length,
    })
    response.end(bytes)
  }
}

function eventText(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`
}
