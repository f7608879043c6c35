import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callWith, target as attemptTarget } from '../../calls/attempts/fixtures/play-targets.ts'
import { ANY_CALLER } from '../../../test/fakes/any-caller.ts'
import { newCall } from '../../calls/call.ts'
import type { ChatTarget } from '../../calls/routing/chat-targets.ts'
import { WireFailure } from '../../translation/wire/wire.ts'
import { withLastEvent } from './last-event.ts'
import { AudioRelay } from './relay-audio.ts'
import { SpeechEvents } from './speech-events.ts'

const DONE = 'data: {"type":"transcript.text.done","text":"Hi."}\n\n'

test('a reader that leaves before it has read anything ends the call, pays and closes the source', async () => {
  const scene = relayOf(sourceOf('one', 'two'))
  await scene.relay.return()
  assert.deepEqual(scene.happened, ['paid cut', 'failed', 'source closed'])
  await scene.relay.return()
  assert.deepEqual(await scene.relay.next(), { done: true, value: undefined })
})

test('a reader that leaves in the middle does so, too', async () => {
  const scene = relayOf(sourceOf('one', 'two'))
  for await (const _ of scene.relay) break
  assert.deepEqual(scene.happened, ['paid cut', 'failed', 'source closed'])
  assert.deepEqual(scene.judged, ['left'])
})

test('the sources of all ways of reading events are closed by a reader that has read nothing', async () => {
  const watcher = { onChunk() {}, onLast() {} }
  const ways: ((body: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>)[] = [
    (body) => withLastEvent(body, watcher),
    (body) => new SpeechEvents(body).audio(),
    (body) => new SpeechEvents(body).asTheyAre(),
  ]
  for (const way of ways) {
    const source = sourceOf('one')
    await way(source)[Symbol.asyncIterator]().return?.()
    assert.equal(source.isClosed, true)
  }
})

test('an answer that was read is closed once, before its last bytes if these are known', async () => {
  const whole = relayOf(sourceOf('one', 'two'))
  for await (const _ of whole.relay) assert.deepEqual(whole.happened, [])
  assert.deepEqual(whole.happened, ['paid whole', 'closed'])
  const events = relayOf(sourceOf('data: {"type":"transcript.text.delta"}\n\n', DONE), true)
  const seen: number[] = []
  for await (const _ of events.relay) seen.push(events.happened.length)
  assert.deepEqual(seen, [0, 2])
  for (const { judged } of [whole, events]) assert.deepEqual([...new Set(judged)], ['whole'])
})

test('an answer that breaks off is paid as cut and fails, also if its bill cannot be made', async () => {
  const broken = relayOf(sourceOf('one', new WireFailure('reset')))
  await broken.relay.next()
  await assert.rejects(broken.relay.next(), { code: 'upstream_error' })
  assert.deepEqual(broken.happened, ['paid cut', 'failed'])
  assert.ok(broken.judged[0] instanceof WireFailure && broken.judged.length === 1)
  const unpaid = relayOf(sourceOf('one', new WireFailure('reset')), false, new Error('no price'))
  await unpaid.relay.next()
  await assert.rejects(unpaid.relay.next(), /no price/)
  assert.deepEqual(unpaid.happened, ['failed'])
})

test('events that end before the last one are cut', async () => {
  for (const [events, isWhole] of [
    [['data: {"type":"transcript.text.delta"}\n\n'], false],
    [['data: {"type":"transcript.text.delta"}\n\n', DONE.slice(0, -6)], false],
    [['data: {"type":"transcript.text.delta"}\n\n', DONE.trimEnd()], true],
    [['data: {"choices":[]}\n\n', 'data: [DONE]\n\n'], true],
    [['data: {"type":"transcript.text.delta","delta":"data: [DONE]"}\n\n'], false],
  ] as const) {
    const { relay, happened } = relayOf(sourceOf(...events), true)
    const reading = (async () => {
      for await (const _ of relay);
    })()
    if (isWhole) await reading
    else await assert.rejects(reading, { code: 'upstream_error' })
    assert.deepEqual(happened, isWhole ? ['paid whole', 'closed'] : ['paid cut', 'failed'], events.join(''))
  }
})

function relayOf(source: AsyncIterable<Uint8Array> & { whenClosed?: () => void }, isEvents = false, unpayable?: Error) {
  const happened: string[] = []
  source.whenClosed = () => happened.push('source closed')
  const { signal } = new AbortController()
  const call = newCall({
    id: 'call',
    caller: ANY_CALLER,
    endpoint: 'audio',
    startedAt: 0,
    signal,
    wantsMetadata: false,
  })
  let isEnded = false
  let isPaid = false
  const end = (how: string) => {
    if (!isEnded) happened.push(how)
    isEnded = true
  }
  const ending = {
    close: () => end('closed'),
    fail: (error: unknown) => {
      end('failed')
      return error
    },
  }
  const judged: unknown[] = []
  const judge = (end: unknown) => void judged.push(end)
  const pay = (how: string) => {
    if (unpayable) throw unpayable
    if (!isPaid) happened.push(`paid ${how}`)
    isPaid = true
  }
  const provider = { credentials: [], baseUrl: 'http://provider.test' }
  const target = { id: 'p/m', provider } as unknown as ChatTarget
  const bytesOf = (isOver: () => void) => (isEvents ? withLastEvent(source, { onChunk() {}, onLast: isOver }) : source)
  return { relay: new AudioRelay(bytesOf, { call, target, ending, pay, judge }), happened, judged }
}

/** A source that is open before it is read, as a connection is. */
function sourceOf(...pieces: readonly (string | Error)[]) {
  const left = [...pieces]
  const source = {
    isClosed: false,
    whenClosed: undefined as (() => void) | undefined,
    [Symbol.asyncIterator]: () => ({
      next: async (): Promise<IteratorResult<Uint8Array>> => {
        const piece = source.isClosed ? undefined : left.shift()
        if (piece instanceof Error) throw piece
        return piece === undefined ? { done: true, value: undefined } : { done: false, value: Buffer.from(piece) }
      },
      return: async (): Promise<IteratorResult<Uint8Array>> => {
        if (!source.isClosed) source.whenClosed?.()
        source.isClosed = true
        return { done: true, value: undefined }
      },
    }),
  }
  return source
}

const BUG = new TypeError('a fault of ours')

test('a call whose audio cannot be billed is ended all the same, as failed', async () => {
  for (const fails of [false, true]) {
    const ends: unknown[] = []
    const call = callWith(new AbortController().signal)
    const target = attemptTarget('p/m') as ChatTarget
    const ending = {
      fail: (error: unknown) => {
        ends.push(error)
        return error
      },
      close: () => void ends.push('closed'),
    }
    const bytes = new AudioRelay(
      async function* () {
        yield new Uint8Array(1)
        if (fails) throw new Error('the provider broke off')
      },
      { call, target, ending, pay: () => assert.fail(BUG), judge() {} },
    )
    await assert.rejects(async () => {
      for await (const one of bytes) assert.equal(one.length, 1)
    }, BUG)
    assert.equal(ends[0], BUG)
  }
})
