import assert from 'node:assert/strict'
import type { TLSSocket } from 'node:tls'
import { type TestContext, test } from 'node:test'
import { egressUnderTest, get, NAME, textOf } from './fixtures/egress-under-test.ts'
import { makeCertificate } from './fixtures/self-made-certificate.ts'
import { closed, GOOD, openCanary, openRaw, openWeb } from './fixtures/servers.ts'
import { EgressFailed } from './refusal.ts'

test('the address is pinned, but the name stays: in the server name, the Host header and the certificate', async (context) => {
  const web = await openSecure(context, [NAME])
  const response = await web.egress.fetch(get(`https://${NAME}:${web.port}/`, { requireHttps: true }))
  assert.deepEqual(JSON.parse(await textOf(response)), {
    servername: NAME,
    host: `${NAME}:${web.port}`,
    connection: 'close',
  })
})

test('an IP address needs a certificate for that address', async (context) => {
  const right = await openSecure(context, [GOOD])
  const response = await right.egress.fetch(get(`https://${GOOD}:${right.port}/`))
  assert.equal(JSON.parse(await textOf(response)).host, `${GOOD}:${right.port}`)
  const wrong = await openSecure(context, [NAME])
  await assertFails(wrong.egress.fetch(get(`https://${GOOD}:${wrong.port}/`)), 'ERR_TLS_CERT_ALTNAME_INVALID')
})

test('a certificate for another name, and one of an untrusted issuer, are not accepted', async (context) => {
  const web = await openSecure(context, ['other.example.org'])
  await assertFails(web.egress.fetch(get(`https://${NAME}:${web.port}/`)), 'ERR_TLS_CERT_ALTNAME_INVALID')
  const trusting = egressUnderTest(context)
  await assertFails(trusting.fetch(get(`https://other.example.org:${web.port}/`)), 'DEPTH_ZERO_SELF_SIGNED_CERT')
})

test('the environment cannot switch the checking of certificates off', async (context) => {
  setEnvironment(context, { NODE_TLS_REJECT_UNAUTHORIZED: '0' })
  const web = await openSecure(context, [NAME])
  const egress = egressUnderTest(context)
  await assertFails(egress.fetch(get(`https://${NAME}:${web.port}/`)), 'DEPTH_ZERO_SELF_SIGNED_CERT')
})

test('the environment cannot send requests through a proxy', async (context) => {
  const proxy = await openCanary(context)
  const address = `http://127.0.0.1:${proxy.port}`
  const names = ['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']
  setEnvironment(context, { ...Object.fromEntries(names.map((name) => [name, address])), NODE_USE_ENV_PROXY: '1' })
  const web = await openSecure(context, [NAME])
  assert.equal((await web.egress.fetch(get(`https://${NAME}:${web.port}/`))).status, 200)
  assert.equal(proxy.connections, 0)
})

test('a server that never completes the TLS handshake times out', async (context) => {
  const silent = await openRaw(context, () => {})
  const egress = egressUnderTest(context, { limits: { connectMs: 100 } })
  await assert.rejects(
    egress.fetch(get(`https://${NAME}:${silent.port}/`)),
    (error) => error instanceof EgressFailed && error.kind === 'timeout',
  )
  await closed(silent.socket(0))
})

test('a server that speaks no TLS, or hangs up during the handshake, is not reached', async (context) => {
  for (const speak of ['SSH-2.0-OpenSSH_9.6\r\n', '220 mail.example.org ESMTP\r\n', '']) {
    const other = await openRaw(context, (socket) => socket.end(speak))
    const egress = egressUnderTest(context)
    await assertFails(egress.fetch(get(`https://${NAME}:${other.port}/`)))
  }
})

async function openSecure(context: TestContext, names: string[]) {
  const certificate = makeCertificate(names)
  const web = await openWeb(
    context,
    ({ socket, headers: { host, connection } }, response) => {
      response.end(
        JSON.stringify({ servername: (socket as TLSSocket & { servername: string }).servername, host, connection }),
      )
    },
    certificate,
  )
  return { ...web, egress: egressUnderTest(context, { ca: certificate.cert }) }
}

async function assertFails(request: Promise<unknown>, code?: string): Promise<void> {
  await assert.rejects(request, (error) => {
    assert.ok(error instanceof EgressFailed, String(error))
    assert.equal(error.kind, 'unreachable')
    if (code) assert.equal(error.cause, code)
    return true
  })
}

function setEnvironment(context: TestContext, values: Record<string, string>): void {
  const before = { ...process.env }
  context.after(() => {
    for (const name in values) delete process.env[name]
    Object.assign(process.env, before)
  })
  Object.assign(process.env, values)
}
