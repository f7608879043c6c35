import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { createKey } from '../../../src/tenants/access/api-keys.ts'
import { loadConfig } from '../../../src/platform/config/config.ts'
import { ConfigError } from '../../../src/platform/config/config-error.ts'
import { makeCertificate } from '../../../src/platform/net/egress/fixtures/self-made-certificate.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { NO_CONFIG, startProcess, temporaryFolder } from '../../gateway/gateway-process.ts'
import { ADMIN_KEY, API_KEY, startGateway } from '../../gateway/gateway-under-test.ts'
import { exchange, request } from '../../gateway/raw-http.ts'

// What is between a client and the gateway: TLS, proxies, and the addresses by which the gateway is known.

const POLL_MS = 100
const folder = await temporaryFolder()
const [first, second] = [makeCertificate(['127.0.0.1']), makeCertificate(['127.0.0.1'])]
const TLS = { TLS_CERT_FILE: join(folder.path, 'tls.crt'), TLS_KEY_FILE: join(folder.path, 'tls.key') }
writePair(first)
after(() => folder.remove())

describe('TLS', () => {
  test('both listeners speak HTTPS, and so do the addresses that they write', async (context) => {
    const gateway = await startGateway({ env: TLS })
    context.after(() => gateway.close())
    const key = { authorization: `Bearer ${API_KEY}` }
    const chat = { model: 'sandbox/echo', stream: true, messages: [{ role: 'user', content: 'over TLS' }] }
    const answer = await ask(`${gateway.url}/v3/chat/completions`, { headers: key, body: chat, ca: first.cert })
    const content = answer.text.match(/"content":"([^"]*)"/g)!.map((part) => part.slice(11, -1))
    assert.deepEqual([answer.status, content.join('')], [200, 'over TLS'])
    const image = { model: 'sandbox/image', prompt: 'x', response_format: 'url', n: 1 }
    const { text } = await ask(`${gateway.url}/v3/images/generations`, { headers: key, body: image, ca: first.cert })
    const [{ url }] = (JSON.parse(text) as { data: [{ url: string }] }).data
    assert.ok(url.startsWith(`${gateway.url}/`), url)
    assert.equal((await ask(url, { ca: first.cert })).status, 200)
    const docs = await ask(`${gateway.url}/docs/text`, { ca: first.cert })
    assert.ok(docs.text.includes(`${gateway.url}/v3`))
    const admin = { headers: { authorization: `Bearer ${ADMIN_KEY}` }, ca: first.cert }
    assert.equal((await ask(`${gateway.adminUrl}/admin/keys`, admin)).status, 200)
    await assert.rejects(fetch(gateway.url.replace('https:', 'http:')))
    gateway.gateway.api.server.headersTimeout = 1
    const [unused, slow] = await Promise.all(['', 'GET / HTTP/1.1\r\n'].map((sent) => untilClosed(gateway.url, sent)))
    assert.equal(unused, '')
    assert.match(slow!, /^HTTP\/1\.1 408 /)
  })

  test('several processes serve a certificate that was replaced, and the health check of the image finds them', async () => {
    const gateway = await startProcess({ DATA_DIR: folder.data, WORKERS: '2', ...TLS })
    after(() => gateway.child.kill('SIGKILL'))
    assert.match(gateway.url, /^https:/)
    const ports = [gateway.url, gateway.adminUrl].map((url) => new URL(url).port)
    for (const port of ports) assert.deepEqual(await healthCheck('ready', port), { code: 0, text: '200' })
    writePair(second)
    const expected = new X509Certificate(second.cert).fingerprint256
    // The kernel chooses the process, so one answer says nothing about the other process.
    const answers = () => Array.from({ length: 8 }, () => ask(`${gateway.url}/health/live`, {}))
    while ((await Promise.all(answers())).some(({ fingerprint }) => fingerprint !== expected)) await sleep(POLL_MS)
    writeFileSync(TLS.TLS_KEY_FILE, first.key)
    while (countOf(gateway.output(), 'the certificate in use stays') < 3) await sleep(POLL_MS)
    assert.equal((await ask(`${gateway.url}/health/live`, {})).fingerprint, expected)
    assert.deepEqual(await gateway.stop(), { code: 0, signal: null })
    writePair(first)
  })

  test('files that cannot be used, and one without the other, stop the start with a sentence', async () => {
    const missing = { ...TLS, TLS_KEY_FILE: join(folder.path, 'nothing.key') }
    await assert.rejects(startGateway({ env: missing, dataDir: folder.data }), {
      name: 'ConfigError',
      message: /^TLS_KEY_FILE: .*nothing\.key cannot be read \(ENOENT\)$/,
    })
    for (const [name, other] of [
      ['TLS_CERT_FILE', 'TLS_KEY_FILE'],
      ['TLS_KEY_FILE', 'TLS_CERT_FILE'],
    ] as const)
      assert.throws(() => settings({ [name]: TLS[name] }), {
        message: `${other}: should be set, because ${name} is set`,
      })
  })
})

describe('proxies', () => {
  test('a client behind a trusted proxy is known by its own address, any other by its connection', async (context) => {
    const gateway = await startGateway({ env: { TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' } })
    context.after(() => gateway.close())
    const direct = await startGateway()
    context.after(() => direct.close())
    const clients = ['203.0.113.5, 10.1.2.3', '198.51.100.7', 'garbage', '1.1.1.1, 198.51.100.8, 127.0.0.1']
    for (const forwarded of clients) await refused(gateway.url, forwarded)
    await logged(gateway.logs, clients.length)
    assert.deepEqual(clientsIn(gateway.logs()), ['203.0.113.5', '198.51.100.7', '127.0.0.1', '198.51.100.8'])
    const { key } = await adminClient(gateway.adminUrl).issue({ allowed_ips: ['203.0.113.0/24'] })
    const statuses = ['203.0.113.5', '203.0.113.5:443, 10.1.2.3', '203.0.113.5, 198.51.100.7', 'garbage'].map(
      (forwarded) => {
        const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': forwarded }
        return fetch(`${gateway.url}/v3/models`, { headers }).then(({ status }) => status)
      },
    )
    assert.deepEqual(await Promise.all(statuses), [200, 200, 403, 403])
    await refused(direct.url, '203.0.113.5')
    await logged(direct.logs, 1)
    assert.deepEqual(clientsIn(direct.logs()), ['127.0.0.1'])
  })

  test('a network that is none is refused by name', async () => {
    for (const value of ['10.0.0.0/33', 'localhost', '10.0.0.1/8', '10.0.0.0/8,,::1'])
      await assert.rejects(startGateway({ env: { TRUSTED_PROXIES: value }, dataDir: folder.data }), (error: Error) => {
        return error instanceof ConfigError && error.message.startsWith('TRUSTED_PROXIES: ')
      })
    assert.throws(() => settings({}, { trustedProxies: 5 }), /^ConfigError: trustedProxies: should be networks/)
    assert.deepEqual(settings({}, { trustedProxies: ['::1'] }).trustedProxies, ['::1/128'])
  })
})

describe('PUBLIC_URL and ADMIN_URL', () => {
  test('are in links, docs and OpenAPI documents of their listener', async (context) => {
    const urls = { PUBLIC_URL: 'https://AI.example/gate/', ADMIN_URL: 'https://admin.example:8443' }
    const gateway = await startGateway({ env: urls })
    context.after(() => gateway.close())
    const servers = async (url: string) => ((await (await fetch(url)).json()) as { servers: unknown }).servers
    assert.deepEqual(await servers(`${gateway.url}/openapi.json`), [{ url: 'https://ai.example/gate' }])
    assert.deepEqual(await servers(`${gateway.adminUrl}/openapi.json`), [{ url: urls.ADMIN_URL }])
    assert.ok((await (await fetch(`${gateway.url}/docs/text`)).text()).includes('curl https://ai.example/gate/v3/'))
    assert.ok((await (await fetch(`${gateway.adminUrl}/docs`)).text()).includes(urls.ADMIN_URL))
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'sandbox/image', prompt: 'x', response_format: 'url' })
    const drawn = await fetch(`${gateway.url}/v3/images/generations`, { method: 'POST', headers, body })
    const { data } = (await drawn.json()) as { data: [{ url: string }] }
    assert.ok(data[0].url.startsWith('https://ai.example/gate/results/'), data[0].url)
    const page = { host: '127.0.0.1', origin: urls.ADMIN_URL, authorization: `Bearer ${ADMIN_KEY}` }
    for (const [headers, status] of [
      [page, 200],
      [{ ...page, host: 'admin.example' }, 200],
      [{ ...page, origin: 'https://admin.example:9443' }, 403],
      [{ ...page, host: 'other.example' }, 403],
    ] as const) {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
      assert.equal((await exchange(gateway.adminUrl, request('GET /admin/keys', lines))).status, status)
    }
  })

  test('consist of a scheme, a host and a path, in characters that need no quotes', () => {
    for (const value of ['ftp://x', 'x.example', 'https://x/?a=b', 'https://x/#a', 'https://u:p@x', "https://x/a'b"])
      for (const name of ['PUBLIC_URL', 'ADMIN_URL'])
        assert.throws(() => settings({ [name]: value }), new RegExp(`^ConfigError: ${name}: should be`), value)
    assert.equal(settings({ PUBLIC_URL: 'http://[::1]:8080//' }).publicUrl, 'http://[::1]:8080')
  })
})

type Asked = { headers?: Record<string, string>; body?: object; ca?: string }
type Answered = { status: number | undefined; text: string; fingerprint: string }

/** With `ca`, the certificate is checked as any client would. */
async function ask(url: string, { headers = {}, body, ca }: Asked): Promise<Answered> {
  const options = { agent: false, ...(ca ? { ca } : { rejectUnauthorized: false }) }
  const content = body ? { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } } : { headers }
  const request = httpsRequest(url, { ...options, ...content }).end(body && JSON.stringify(body))
  const [response] = await once(request, 'response')
  const { fingerprint256: fingerprint } = (response.socket as TLSSocket).getPeerCertificate()
  const pieces = await response.toArray()
  return { status: response.statusCode, text: Buffer.concat(pieces).toString(), fingerprint }
}

/** Opens a connection, sends this and nothing else, and returns what comes before the end. */
async function untilClosed(url: string, sent: string): Promise<string> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', rejectUnauthorized: false })
  if (sent !== '') socket.write(sent)
  return Buffer.concat(await socket.toArray()).toString()
}

async function healthCheck(question: string, port: string): Promise<{ code: number; text: string }> {
  const program = join(import.meta.dirname, '..', '..', '..', 'deploy', 'health-check.js')
  const child = spawn(process.execPath, [program, question, port], { env: TLS, stdio: ['ignore', 'pipe', 'ignore'] })
  const pieces = await child.stdout.toArray()
  if (child.exitCode === null) await once(child, 'exit')
  return { code: child.exitCode!, text: Buffer.concat(pieces).toString().slice(0, 3) }
}

/** A well-formed key that does not exist: it is looked up under the address of its client. */
async function refused(url: string, forwarded: string): Promise<void> {
  const headers = { authorization: `Bearer ${createKey('live')}`, 'x-forwarded-for': forwarded }
  assert.equal((await fetch(`${url}/v3/models`, { headers })).status, 401)
}

/** A line is written when an answer is closed, which may be after it has arrived. */
async function logged(logs: () => string, count: number): Promise<void> {
  while (clientsIn(logs()).length < count) await sleep(POLL_MS)
}

function clientsIn(logs: string): string[] {
  const lines = logs.trim().split('\n')
  return lines.map((line) => JSON.parse(line) as { client?: string }).flatMap(({ client }) => client ?? [])
}

function settings(environment: Record<string, string>, content?: object) {
  const file = content && join(folder.path, 'edge.config.json')
  if (file) writeFileSync(file, JSON.stringify(content))
  return loadConfig({ GATEHOUSE_CONFIG: file ?? NO_CONFIG, ...environment })
}

function writePair({ cert, key }: { cert: string; key: string }): void {
  writeFileSync(TLS.TLS_CERT_FILE, cert)
  writeFileSync(TLS.TLS_KEY_FILE, key)
}

function countOf(text: string, words: string): number {
  return text.split(words).length - 1
}
