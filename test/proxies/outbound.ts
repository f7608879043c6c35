import { createServer } from 'node:https'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { openEgress } from '../../src/platform/net/egress/guarded-fetch.ts'
import { makeCertificate } from '../../src/platform/net/egress/fixtures/self-made-certificate.ts'
import { plain, RawProvider } from '../../src/platform/net/fixtures/raw-provider.ts'
import { parseNetworks } from '../../src/platform/net/addresses/networks.ts'
import { toProxy } from '../../src/platform/net/proxy/proxy.ts'
import { openUpstream } from '../../src/platform/net/upstream.ts'
import { textEvents } from '../fakes/openai-events.ts'
import { startFakeProvider } from '../fakes/provider.ts'
import { stream } from '../fakes/stream.ts'
import { ASK } from '../gateway/chat-client.ts'
import { temporaryFolder } from '../gateway/gateway-process.ts'
import { API_KEY, startGateway } from '../gateway/gateway-under-test.ts'
import { closedPort } from '../gateway/gateway-with-fakes.ts'
import { type ForwardProxy, LOGIN } from './forward-proxies.ts'
import type { Line } from './report.ts'

// What the gateway does behind a real proxy that is its only way out.

const FILE_HOST = 'files.example.org'
const FILE_ADDRESS = '127.0.0.2'
const certificate = makeCertificate(['localhost', FILE_HOST])
const TIMEOUTS = { connectMs: 20_000, headersMs: 20_000, idleMs: 20_000 }

/** Tries everything with one proxy. */
export async function tryForwardProxy({ name, start }: ForwardProxy): Promise<Line[]> {
  const proxy = await start()
  const address = `http://${LOGIN.user}:${LOGIN.password}@127.0.0.1:${proxy.port}/`
  try {
    const tried = [
      await tryProvider('https', address),
      await tryProvider('http', address),
      await tryWithoutLogin(`http://127.0.0.1:${proxy.port}/`),
      await tryClosedPort(address),
      await tryCallerUrl(address),
      await tryChat(address),
    ]
    return tried.map(({ what, ...line }) => ({ what: `${name}, ${what}`, ...line }))
  } finally {
    await proxy.stop()
  }
}

async function tryProvider(scheme: 'http' | 'https', address: string): Promise<Line> {
  const provider = new RawProvider(
    ({ socket, path }) => socket.write(plain(new URL(path, 'http://x').pathname)),
    scheme === 'https' ? certificate : undefined,
  )
  await provider.listen()
  const answers: string[] = []
  for (const path of ['/1', '/2', '/3'])
    answers.push(await fetchThrough(address, `${scheme}://localhost:${provider.port}${path}`))
  const seen = provider.requests.some(({ head }) => head.includes('Basic'))
  await provider.stop()
  const count = provider.sockets.length
  const got = `${answers.join(' ')}, ${count} connections, ${seen ? 'with' : 'without'} our login`
  return {
    what: `three requests to an ${scheme} provider`,
    // What becomes of plain connections behind the proxy is its own affair: tinyproxy closes them.
    isRight: answers.join(' ') === '/1 /2 /3' && !seen && (count === 1 || scheme === 'http'),
    got,
  }
}

const clients = new Map<string, ReturnType<typeof openUpstream>>()

async function fetchThrough(address: string, url: string): Promise<string> {
  const proxy = toProxy('HTTPS_PROXY', address)
  const known =
    clients.get(address) ?? openUpstream({ trust: { ca: certificate.cert }, chooseProxy: () => proxy, quietMs: 0 })
  clients.set(address, known)
  const request = { method: 'GET', url, headers: {}, body: null } as const
  const signal = new AbortController().signal
  return known.send(request, { signal, timeouts: TIMEOUTS, owner: 'owner' }).then(
    ({ body }) => text(body),
    (error: Error) => error.message,
  )
}

async function tryWithoutLogin(address: string): Promise<Line> {
  const got = await fetchThrough(address, `https://localhost:${await closedPort()}/`)
  return { what: 'without a login', isRight: /\(HTTPS_PROXY\).*407/.test(got), got }
}

async function tryClosedPort(address: string): Promise<Line> {
  const got = await fetchThrough(address, `https://localhost:${await closedPort()}/`)
  const isRight = /\(HTTPS_PROXY\) refused to open a connection to the provider \(status 5\d\d\)/.test(got)
  return { what: 'a provider that is not there', isRight: isRight && !got.includes(LOGIN.password), got }
}

/** Only our own resolver knows the name, so the proxy can only have been asked for the address. */
async function tryCallerUrl(address: string): Promise<Line> {
  const server = createServer(certificate, (request, reply) => reply.end(`file for ${request.headers.host}`))
  server.listen(0, FILE_ADDRESS)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const proxy = toProxy('HTTPS_PROXY', address)
  const egress = openEgress({
    allow: parseNetworks(`${FILE_ADDRESS}/32`),
    ownListeners: () => [],
    resolve: async () => [{ address: FILE_ADDRESS, family: 4 }],
    ca: certificate.cert,
    chooseProxy: () => proxy,
  })
  const rest = { headers: {}, body: null, maxBytes: 1_000, timeoutMs: 20_000, redirects: 0 } as const
  const asked = egress.fetch({
    method: 'GET',
    url: `https://${FILE_HOST}:${port}/`,
    ...rest,
    signal: new AbortController().signal,
  })
  const got = await asked.then(
    ({ body }) => text(body),
    (error: Error) => `${error.message} ${error.cause}`,
  )
  egress.close()
  server.close()
  return { what: 'an address that a caller named', isRight: got === `file for ${FILE_HOST}:${port}`, got }
}

/** The whole way: the config file, the gateway, the proxy, a stream. */
async function tryChat(address: string): Promise<Line> {
  const provider = await startFakeProvider()
  const folder = await temporaryFolder()
  const config = join(folder.path, 'config.json')
  await writeFile(config, JSON.stringify({ providers: { openai: { proxy: address } } }))
  const env = {
    GATEHOUSE_CONFIG: config,
    OPENAI_API_KEY: 'sk-x',
    OPENAI_BASE_URL: provider.url.replace('127.0.0.1', 'localhost'),
  }
  const gateway = await startGateway({ env })
  provider.next(stream(textEvents('word '.repeat(20))))
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ ...ASK, stream: true })
  const answer = await (await fetch(`${gateway.url}/v3/chat/completions`, { method: 'POST', headers, body })).text()
  const isQuiet = !gateway.logs().includes(LOGIN.password)
  await gateway.close()
  await provider.close()
  await folder.remove()
  const words = answer.match(/word"/g)?.length ?? 0
  const isRight = words === 20 && answer.includes('[DONE]') && isQuiet
  return {
    what: 'a streamed chat',
    isRight,
    got: `${words} of 20 words, ${isQuiet ? 'no' : 'the'} password in the log`,
  }
}

export async function closeClients(): Promise<void> {
  for (const client of clients.values()) await client.close()
}
