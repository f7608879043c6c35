import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { png } from '../../../src/base/sniff/fixtures/small-files.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { someOf } from '../../soak/sample.ts'
import { privateForms } from './private-forms.ts'
import { type Reply, type TaskClient, taskClient } from '../../gateway/task-client.ts'
import { MB } from '../../../src/base/units/units.ts'

const REFUSAL = 'This address cannot be reached from here.'
const JOB = { model: 'text/moderation/sandbox', input: { text: 'x' } }
const IMAGE = png(4, 4)

describe('addresses of files', () => {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => {
    seen.push(request)
    answer(request.url!, response)
  })
  let canary: Awaited<ReturnType<typeof startCanary>>
  let gateway: GatewayUnderTest
  let client: TaskClient
  let url: string
  before(async () => {
    url = await listen(server)
    canary = await startCanary()
    gateway = await startGateway({ env: { ALLOW_NETWORKS: '127.0.0.1/32', UPLOAD_LIMIT_MB: '1' } })
    client = taskClient(gateway.url)
  })
  after(async () => {
    await gateway?.close()
    await canary?.stop()
    server.closeAllConnections()
    server.close()
  })

  test('inside the allowed networks a file is fetched, with nothing of the caller’s', async () => {
    seen.length = 0
    const { status, text } = await client.run(ocr(`${url}/a.png`))
    assert.equal(status, 200, text)
    const [{ method, url: path, headers }] = seen as [IncomingMessage]
    assert.deepEqual([seen.length, method, path], [1, 'GET', '/a.png'])
    for (const name of ['authorization', 'cookie', 'referer', 'x-request-id']) assert.equal(headers[name], undefined)
  })

  test('three redirects are followed', async () => {
    assert.equal((await client.run(ocr(`${url}/hops/3`))).status, 200)
  })

  const UNUSABLE: Record<string, string> = {
    'four redirects': '/hops/4',
    'a redirect to another address of this machine': '/to/http://127.0.0.2:CANARY/',
    'a redirect to a private network': '/to/http://10.0.0.1/',
    'a redirect to the metadata service': '/to/http://169.254.169.254/latest/meta-data/',
    'a redirect to a file': '/to/file:///etc/passwd',
    'a redirect with a name in it': '/to/http://a:b@127.0.0.1:CANARY/',
    'a file over the limit': '/large',
    'a file over the limit that does not say so': '/endless',
    'a packed file': '/packed',
    'half a file': '/half',
  }
  for (const [what, path] of Object.entries(UNUSABLE)) {
    test(`${what} is refused, in the one sentence`, async () => {
      const reply = await client.run(ocr(url + path.replace('CANARY', String(canary.port))))
      assertRefused(reply, ['body', 'input', 'file'])
      assert.equal(canary.connections, 0)
    })
  }

  test('a closed port is reported like a refused address', async () => {
    const spare = createServer()
    const address = await listen(spare)
    spare.close()
    await once(spare, 'close')
    assertRefused(await client.run(ocr(address)), ['body', 'input', 'file'])
  })

  for (const status of [404, 403, 500, 204, 304]) {
    test(`an address that answers with ${status} holds no file`, async () => {
      const reply = await client.run(ocr(`${url}/status/${status}`))
      assert.equal(reply.status, 422)
      const msg = `The address answered with status ${status}`
      assert.deepEqual(reply.body.detail, [{ loc: ['body', 'input', 'file'], msg, type: 'value_error' }])
    })
  }

  test('a field and a list of files are distinguished', async () => {
    const images = [`${url}/a.png`, 'http://127.0.0.2/x.png']
    const { body } = await client.run({
      model: 'image/generation/sandbox',
      input: { text: 'x', reference_images: images },
    })
    assert.deepEqual(body.detail[0]!.loc, ['body', 'input', 'reference_images', 1])
  })

  test('the gateway does not call itself', async () => {
    const wide = await startGateway({ env: { ALLOW_NETWORKS: '127.0.0.0/8,::1/128' } })
    const own = taskClient(wide.url)
    for (const address of [`${wide.url}/health/live`, `${wide.adminUrl}/metrics`]) {
      assertRefused(await own.run(ocr(address)), ['body', 'input', 'file'])
      assertRefused(await own.submit({ ...JOB, webhook_receiver: address }), ['body', 'webhook_receiver'])
    }
    await wide.close()
  })

  describe('without allowed networks', () => {
    let strict: GatewayUnderTest
    before(async () => {
      strict = await startGateway()
    })
    after(() => strict?.close())

    test('no form of a private address gets a connection, wherever it is handed in', async () => {
      const own = taskClient(strict.url)
      const forms = [...privateForms(canary.port), url, strict.url]
      assert.ok(forms.length > 60)
      for (const [turn, form] of forms.entries()) {
        const isAddress = /^https?:\/\//i.test(form) && URL.canParse(form)
        const sentence = isAddress ? REFUSAL : 'Input should be the id of an uploaded file or an http(s) address'
        const tries = [
          async () => assertRefused(await own.run(ocr(form)), ['body', 'input', 'file'], form, sentence),
          async () =>
            assertRefused(await own.submit({ ...JOB, webhook_receiver: form }), ['body', 'webhook_receiver'], form),
        ]
        const loc = ['body', 'messages', 0, 'content', 0, 'file', 'file_id']
        if (/^https?:\/\//i.test(form))
          tries.push(async () => assertRefused(await own.post('/v3/chat/completions', chatWith(form)), loc, form))
        for (const attempt of someOf(tries, turn, 1)) await attempt()
      }
      assert.equal(canary.connections, 0)
    })

    test('the canary would have sung', async () => {
      await assert.rejects(fetch(`http://127.0.0.1:${canary.port}/`))
      await assert.rejects(fetch(`http://[::1]:${canary.port}/`))
      assert.equal(canary.connections, 2)
    })
  })
})

function ocr(file: string) {
  return { model: 'ocr/ocr/sandbox', input: { file, language: 'en' } }
}

function chatWith(file_id: string) {
  return { model: 'sandbox/echo', messages: [{ role: 'user', content: [{ type: 'file', file: { file_id } }] }] }
}

function assertRefused(
  { status, body, text }: Reply<{ detail: object[] }>,
  loc: (string | number)[],
  form = '',
  sentence = REFUSAL,
) {
  assert.equal(status, 422, `${form} ${text}`)
  assert.deepEqual(body.detail, [{ loc, msg: sentence, type: 'value_error' }], form)
}

function answer(path: string, response: ServerResponse): void {
  const [, what = '', ...rest] = path.split('/')
  const argument = rest.join('/')
  if (what === 'status') return void response.writeHead(Number(argument)).end()
  if (what === 'to') return void response.writeHead(302, { location: argument }).end()
  if (what === 'hops') {
    const left = Number(argument)
    return void (left > 0 ? response.writeHead(302, { location: `/hops/${left - 1}` }).end() : response.end(IMAGE))
  }
  if (what === 'large') return void response.end(Buffer.alloc(MB + 1))
  if (what === 'endless') return void Array.from({ length: 20 }, () => response.write(Buffer.alloc(MB / 10)))
  if (what === 'packed') return void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(IMAGE))
  if (what === 'half') {
    response.writeHead(200, { 'content-length': 99 }).write('x', () => response.destroy())
    return
  }
  response.end(IMAGE)
}

/** Listens at every address of this machine, counts connections, and closes them. */
async function startCanary() {
  let connections = 0
  const server = createTcpServer((socket) => {
    connections++
    socket.resetAndDestroy()
  })
  server.listen(0, '::')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections
    },
    stop: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
