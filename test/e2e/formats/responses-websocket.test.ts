import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, beforeEach, describe, test } from 'node:test'
import OpenAI from 'openai'
import { ResponsesWS } from 'openai/resources/responses/ws'
import { WebSocket } from 'ws'
import type { Fields } from '../../../src/base/schema/record.ts'
import { status } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { stream } from '../../fakes/stream.ts'
import { withEnoughTime } from '../../fakes/enough-time.ts'
import { ADMIN_KEY, API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

const ECHO = 'sandbox/echo'
/** Its provider has no responses of its own. */
const MISTRAL = 'mistral/mistral-large-latest'
/** How long a client has to answer a ping. */
const PING_MS = 100
const AUTHORIZED = { authorization: `Bearer ${API_KEY}` }

type Frame = Fields & { type: string; response: Fields & { id: string }; error: Fields; sequence_number: number }

describe('responses over a WebSocket', () => {
  let gateway: GatewayUnderTest
  let provider: FakeProvider
  before(async () => {
    provider = await startFakeProvider()
    gateway = await startGateway({ env: { MISTRAL_BASE_URL: provider.url, MISTRAL_API_KEY: 'fake-0123456789' } })
  })
  beforeEach(() => provider.reset())
  after(async () => {
    await gateway.close()
    await provider.close()
  })

  test('frames are the events of the same request over HTTP', async () => {
    const socket = await opened()
    const frames = await turn(socket, { model: ECHO, input: 'Hello there' })
    const events = await overHttp({ model: ECHO, input: 'Hello there' })
    assert.deepEqual(
      frames.map(({ type, sequence_number }) => [type, sequence_number]),
      events.map(({ type, sequence_number }) => [type, sequence_number]),
    )
    assert.equal(textOf(frames), 'Hello there')
    socket.close()
  })

  test('OpenAI’s SDK makes two responses on one connection', async () => {
    const client = new OpenAI({ apiKey: API_KEY, baseURL: `${gateway.url}/v1` })
    const socket = new ResponsesWS(client)
    const texts: string[] = []
    await new Promise<void>((resolve, reject) => {
      socket.on('error', reject)
      socket.on('response.completed', ({ response }) => {
        texts.push(response.output_text ?? JSON.stringify(response.output))
        if (texts.length === 2) resolve()
        else socket.send({ type: 'response.create', model: ECHO, input: 'two', previous_response_id: response.id })
      })
      socket.send({ type: 'response.create', model: ECHO, input: 'one' })
    })
    socket.close()
    assert.match(texts[0]!, /one/)
    assert.match(texts[1]!, /two/)
  })

  test('a response that is not stored is continued on its connection, and nowhere else', async () => {
    provider.always(stream(textEvents('first')))
    const socket = await opened()
    const body = { model: MISTRAL, store: false }
    const id = idOf(await turn(socket, { ...body, input: 'one', metadata: { digits: '1' } }))
    await turn(socket, {
      ...body,
      input: [{ role: 'user', content: 'two' }],
      previous_response_id: id,
      temperature: 1.0,
    })
    assert.deepEqual(messagesOf(provider.requests.at(-1)!.body), ['one', 'first', 'two'])
    const again = await turn(socket, { ...body, input: 'three', previous_response_id: id })
    assert.equal(again.at(-1)!.type, 'error', 'only the last response is kept')
    const other = await opened()
    const [refused] = await turn(other, { ...body, input: 'two', previous_response_id: id })
    assert.deepEqual([refused!.type, refused!.status], ['error', 400])
    socket.close()
    other.close()
  })

  test('a request that generates nothing asks no model, and is continued', async () => {
    provider.always(stream(textEvents('ready')))
    const socket = await opened()
    const body = { model: MISTRAL, store: false }
    const warm = await turn(socket, { ...body, input: 'before', generate: false })
    assert.deepEqual(
      warm.map(({ type, sequence_number }) => [type, sequence_number]),
      [
        ['response.created', 0],
        ['response.completed', 1],
      ],
    )
    assert.equal(provider.requests.length, 0)
    await turn(socket, { ...body, input: 'after', previous_response_id: idOf(warm) })
    assert.deepEqual(messagesOf(provider.requests[0]!.body), ['before', 'after'])
    socket.close()
  })

  test('each response has its own ledger line, log line and limits', async () => {
    const socket = await opened({ 'x-request-id': 'of-the-connection' })
    const before = await lines()
    await turn(socket, { model: ECHO, input: 'one' })
    await turn(socket, { model: ECHO, input: 'two' })
    assert.equal((await lines()) - before, 2)
    assert.equal(gateway.logs().split('"request_id":"of-the-connection"').length - 1, 1, 'that of the connection')
    assert.match(gateway.logs(), /"status":101/)
    socket.close()
  })

  test('errors are frames with a status, and the connection goes on', async () => {
    provider.always(status(500, { error: { message: 'broken' } }))
    const socket = await opened()
    for (const [frame, expected] of [
      [{ model: 'mistral/nothing-of-this-name', input: 'x' }, 502],
      [{ model: ECHO, input: 'x', temperature: 9 }, 422],
      [{ type: 'response.cancel' }, 422],
      [{ model: 'no-provider/none', input: 'x' }, 404],
    ] as const) {
      const [error] = await turn(socket, frame)
      assert.deepEqual([error!.type, error!.status], ['error', expected], JSON.stringify(frame))
      assert.equal(typeof error!.error.message, 'string')
    }
    socket.send('{"type": "response.create", ')
    assert.equal((await next(socket)).status, 422)
    assert.equal(textOf(await turn(socket, { model: ECHO, input: 'still here' })), 'still here')
    socket.close()
  })

  test('who may not is refused with an ordinary answer', async () => {
    for (const [options, expected] of [
      [{ headers: { authorization: 'Bearer wrong' } }, 401],
      [{}, 401],
      [{ headers: AUTHORIZED, protocolVersion: 8 }, 400],
    ] as const) {
      const socket = new WebSocket(address('/v1/responses'), options)
      const [, refusal] = await once(socket, 'unexpected-response')
      assert.equal(refusal.statusCode, expected)
    }
    const plain = await fetch(`${gateway.url}/v3/responses`, { headers: AUTHORIZED })
    assert.deepEqual([plain.status, ((await plain.json()) as Frame).error.code], [426, 'websocket_only'])
  })

  test('a key that is revoked makes no other response', async () => {
    const { id, key } = await newKey()
    const socket = await opened({ authorization: `Bearer ${key}` })
    await turn(socket, { model: ECHO, input: 'one' })
    await admin('DELETE', `/admin/keys/${id}`)
    const [refused] = await turn(socket, { model: ECHO, input: 'two' })
    assert.deepEqual([refused!.type, refused!.status], ['error', 401])
    socket.close()
  })

  test('a client that leaves ends what is asked for it', async () => {
    provider.always(stream(textEvents('It goes on and on'), { waitFor: new Promise(() => {}), waitAfter: 3 }))
    const socket = await opened()
    socket.send(JSON.stringify({ type: 'response.create', model: MISTRAL, input: 'x' }))
    await next(socket)
    socket.terminate()
    assert.equal(await (await provider.request(0)).closed, true)
  })

  test('binary frames and frames that are too large end the connection', async () => {
    const binary = await opened()
    binary.send(Buffer.from('{}'))
    assert.equal((await once(binary, 'close'))[0], 1003)
    const large = await opened()
    large.on('error', () => {})
    large.send('x'.repeat(gateway.gateway.services.calls.config.bodyLimitMb * 1024 * 1024 + 1))
    assert.ok([1006, 1009].includes((await once(large, 'close'))[0]))
  })

  test('more frames than may wait are refused, the others are answered in order', async () => {
    const socket = await opened()
    const frames: Frame[] = []
    socket.on('message', (data) => frames.push(JSON.parse(String(data))))
    for (let count = 0; count < 6; count++)
      socket.send(JSON.stringify({ type: 'response.create', model: ECHO, input: `number ${count}` }))
    while (frames.filter(isLast).length < 6) await once(socket, 'message')
    assert.deepEqual(
      frames.filter(isLast).map((frame) => (frame.type === 'error' ? frame.status : textOf([frame]))),
      [409, 409, 'number 0', 'number 1', 'number 2', 'number 3'],
    )
    socket.close()
  })

  test('frames after the end of a connection, and those of a client that leaves, raise no error in the gateway', async () => {
    const rejections: unknown[] = []
    const note = (reason: unknown) => rejections.push(reason)
    // The gateway stops its process at one.
    process.on('unhandledRejection', note)
    const socket = await rawSocket()
    const closed = once(socket, 'data')
    socket.write(Buffer.concat([rawFrame(0x82, '{}'), ...Array.from({ length: 20 }, () => rawFrame(0x81, '{}'))]))
    const [frame] = (await closed) as [Buffer]
    assert.deepEqual([frame[0], frame.readUInt16BE(2)], [0x88, 1003])
    socket.destroy()
    const other = await opened()
    assert.equal(textOf(await turn(other, { model: ECHO, input: 'still here' })), 'still here')
    other.close()
    process.off('unhandledRejection', note)
    assert.deepEqual(rejections, [])
  })

  test('a client that sends and does not read is cut before its refusals and pongs pile up', async () => {
    const socket = await rawSocket()
    socket.pause()
    socket.on('error', () => {})
    provider.always(stream(textEvents('It goes on and on'), { waitFor: new Promise(() => {}), waitAfter: 3 }))
    const create = JSON.stringify({ type: 'response.create', model: MISTRAL, input: 'x' })
    for (let count = 0; count < 4; count++) socket.write(rawFrame(0x81, create))
    const flood = Buffer.concat(Array.from({ length: 2_000 }, () => rawFrame(0x81, '{}')))
    for (let sent = 0; !socket.destroyed; sent += flood.length) {
      assert.ok(sent < 16 * 1024 * 1024, 'the gateway goes on taking frames')
      await new Promise((resolve) => socket.write(flood, resolve))
    }
  })

  test('a client that answers pings without reading them is cut', () =>
    withEnoughTime(PING_MS, async (heartbeatMs) => {
      const quick = await startGateway({ overrides: { heartbeatMs } })
      const honest = await opened(AUTHORIZED, quick)
      const socket = await rawSocket(quick)
      socket.on('error', () => {})
      let pings = 0
      socket.on('data', () => {
        pings++
        socket.write(rawFrame(0x8a, 'here'))
        if (pings > 3) socket.destroy(new Error('the gateway goes on'))
      })
      try {
        await new Promise((resolve) => socket.once('close', resolve))
        assert.ok(pings <= 2, `${pings} pings`)
        const cut = once(honest, 'close').then(() => assert.fail('the honest client is cut'))
        for (let pongs = 0; pongs < 3; pongs++) await Promise.race([once(honest, 'ping'), cut])
        const answered = await Promise.race([turn(honest, { model: ECHO, input: 'still here' }), cut])
        assert.equal(textOf(answered), 'still here')
      } finally {
        honest.terminate()
        await quick.close()
      }
    }))

  test('a connection ends when no request has come for ten minutes', () =>
    withEnoughTime(PING_MS, async (heartbeatMs) => {
      let jumpMs = 0
      const monotonic = () => Math.floor(performance.now()) + jumpMs
      const quick = await startGateway({ overrides: { heartbeatMs, monotonic } })
      const socket = await opened(AUTHORIZED, quick)
      const closed = once(socket, 'close')
      const early = closed.then(([code]) => assert.fail(`closed with ${code}`))
      early.catch(() => {})
      try {
        for (let turns = 0; turns < 2; turns++) {
          assert.equal(textOf(await Promise.race([turn(socket, { model: ECHO, input: 'in use' }), early])), 'in use')
          jumpMs += 9 * 60_000
          for (let pings = 0; pings < 2; pings++) await Promise.race([once(socket, 'ping'), early])
        }
        jumpMs += 60_000
        const [code, reason] = await closed
        assert.deepEqual([code, String(reason)], [1001, 'No request arrived for ten minutes.'])
      } finally {
        socket.terminate()
        await quick.close()
      }
    }))

  test('pings are answered', async () => {
    const socket = await opened()
    const pong = once(socket, 'pong')
    socket.ping('there?')
    assert.equal(String((await pong)[0]), 'there?')
    socket.close()
  })

  /** A connection whose frames the test writes itself. */
  async function rawSocket(of = gateway): Promise<Socket> {
    const socket = connect(Number(new URL(of.url).port), '127.0.0.1')
    socket.write(
      `GET /v1/responses HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${API_KEY}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    const [answer] = (await once(socket, 'data')) as [Buffer]
    assert.match(answer.toString(), /^HTTP\/1.1 101 /)
    return socket
  }

  test('another protocol at the same address stays HTTP', async () => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
    const body = JSON.stringify({ model: ECHO, input: 'x' })
    socket.write(
      `POST /v3/responses HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${API_KEY}\r\nConnection: Upgrade, HTTP2-Settings, close\r\n` +
        `Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    const [first] = (await once(socket, 'data')) as [Buffer]
    assert.match(first.toString(), /^HTTP\/1.1 200 /)
    socket.destroy()
  })

  test('a gateway that stops finishes the response, and closes idle connections', async () => {
    const stopping = await startGateway()
    const idle = await opened(AUTHORIZED, stopping)
    const closed = once(idle, 'close')
    const ended = stopping.close()
    assert.equal((await closed)[0], 1001)
    await ended
  })

  function address(path: string, of = gateway): string {
    return of.url.replace('http', 'ws') + path
  }

  async function opened(headers: Record<string, string> = {}, of = gateway): Promise<WebSocket> {
    const socket = new WebSocket(address('/v1/responses', of), { headers: { ...AUTHORIZED, ...headers } })
    await once(socket, 'open')
    return socket
  }

  async function overHttp(body: object): Promise<Frame[]> {
    const reply = await fetch(`${gateway.url}/v3/responses`, {
      method: 'POST',
      headers: { ...AUTHORIZED, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, stream: true }),
    })
    const texts = (await reply.text()).matchAll(/^data: (\{.*)$/gm)
    return [...texts].map(([, text]) => JSON.parse(text!))
  }

  async function lines(): Promise<number> {
    const { ledger, db } = gateway.gateway.services.calls
    await ledger.flush()
    const [row] = await db.query<{ count: number }>('SELECT COUNT(*) AS count FROM usage', [])
    return Number(row!.count)
  }

  async function admin(method: string, path: string, body?: object): Promise<Fields> {
    const reply = await fetch(gateway.adminUrl + path, {
      method,
      headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return reply.status === 204 ? {} : ((await reply.json()) as Fields)
  }

  async function newKey(): Promise<{ id: string; key: string }> {
    return (await admin('POST', '/admin/keys', { name: 'of a socket' })) as { id: string; key: string }
  }
})

/** As clients write it, with a mask that changes nothing. */
function rawFrame(first: number, text: string): Buffer {
  assert.ok(text.length < 126, 'a short frame')
  return Buffer.concat([Buffer.from([first, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
}

async function next(socket: WebSocket): Promise<Frame> {
  const [data] = await once(socket, 'message')
  return JSON.parse(String(data))
}

/** Sends a frame, and collects those that answer it. */
function turn(socket: WebSocket, body: object): Promise<Frame[]> {
  const frames: Frame[] = []
  return new Promise((resolve, reject) => {
    const take = (data: unknown) => {
      frames.push(JSON.parse(String(data)))
      if (!isLast(frames.at(-1)!)) return
      socket.off('message', take)
      resolve(frames)
    }
    socket.on('message', take)
    socket.once('close', reject)
    socket.send(JSON.stringify({ type: 'response.create', ...body }))
  })
}

function isLast({ type }: Frame): boolean {
  return /^(?:error|response\.(?:completed|failed|incomplete))$/.test(type)
}

function idOf(frames: Frame[]): string {
  return frames.at(-1)!.response.id
}

function textOf(frames: Frame[]): string {
  const [item] = frames.at(-1)!.response.output as { content: { text: string }[] }[]
  return item!.content[0]!.text
}

function messagesOf(body: unknown): string[] {
  const { messages, input } = body as { messages?: { content: unknown }[]; input?: { content: unknown }[] }
  return (messages ?? input)!.map(({ content }) =>
    typeof content === 'string' ? content : (content as { text: string }[]).map(({ text }) => text).join(''),
  )
}
