import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openFakeProxy } from '../fixtures/fake-proxy.ts'
import { openProxies } from '../proxy/choose-proxy.ts'
import { toProxy } from '../proxy/proxy.ts'
import { egressUnderTest, get, NAME, textOf } from './fixtures/egress-under-test.ts'
import { makeCertificate } from './fixtures/self-made-certificate.ts'
import { closed, GOOD, openWeb } from './fixtures/servers.ts'
import type { EgressFailed } from './refusal.ts'

const certificate = makeCertificate([NAME])

test('the proxy is asked for the address that was checked; server name, Host and certificate are those of the name', async (context) => {
  const { web, proxy, egress } = await open(context)
  const response = await egress.fetch(get(`https://${NAME}:${web.port}/file`))
  assert.equal(await textOf(response), `${NAME} ${NAME}:${web.port} /file`)
  assert.deepEqual(proxy.tunnels, [`${GOOD}:${web.port}`])
  assert.doesNotMatch(proxy.heads.join(), new RegExp(NAME))
})

test('plain http inside of the allowed networks goes through a tunnel too, so that the proxy gets no name', async (context) => {
  const { proxy, egress } = await open(context)
  const plain = await openWeb(context, ({ headers }, reply) => reply.end(headers.host))
  proxy.targetPort = plain.port
  const response = await egress.fetch(get(`http://${NAME}:${plain.port}/`))
  assert.equal(await textOf(response), `${NAME}:${plain.port}`)
  assert.deepEqual(proxy.tunnels, [`${GOOD}:${plain.port}`])
})

test('an address that the guard refuses never reaches the proxy', async (context) => {
  const resolve = async () => [{ address: '10.0.0.1', family: 4 }]
  const { proxy, egress } = await open(context, { resolve })
  await assert.rejects(egress.fetch(get(`https://${NAME}/`)), { name: 'EgressRefused' })
  await assert.rejects(egress.fetch(get('https://169.254.169.254/')), { name: 'EgressRefused' })
  assert.equal(proxy.heads.length, 0)
})

test('each checked address is asked for until one can be reached', async (context) => {
  const resolve = async () => [
    { address: '203.0.114.1', family: 4 },
    { address: GOOD, family: 4 },
  ]
  const { web, proxy, egress } = await open(context, { resolve })
  proxy.behaviour = (socket) => {
    socket.end('HTTP/1.1 504 Gateway Timeout\r\n\r\n')
    proxy.behaviour = 'serves'
  }
  assert.match(await textOf(await egress.fetch(get(`https://${NAME}:${web.port}/`))), new RegExp(NAME))
  assert.deepEqual(proxy.tunnels, [`203.0.114.1:${web.port}`, `${GOOD}:${web.port}`])
})

test('callers learn only that the address cannot be reached; the operator learns what the proxy did', async (context) => {
  const reasons: string[] = []
  const { web, proxy, egress } = await open(context, { proxyFailed: (reason) => void reasons.push(reason) })
  for (const answer of [
    'HTTP/1.1 407 No\r\n\r\n',
    'HTTP/1.1 403 No\r\n\r\n',
    `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(9_000)}`,
  ]) {
    proxy.behaviour = answer
    const failure = await failureOf(egress.fetch(get(`https://${NAME}:${web.port}/`)))
    assert.deepEqual([failure.kind, failure.message], ['proxy', 'This address cannot be reached from here.'])
  }
  proxy.behaviour = () => {}
  const impatient = { limits: { connectMs: 50 }, proxyFailed: (reason: string) => void reasons.push(reason) }
  assert.equal(
    (await failureOf((await open(context, impatient, proxy)).egress.fetch(get(`https://${NAME}/`)))).kind,
    'proxy',
  )
  assert.equal(reasons.length, 4)
  for (const [index, words] of [/407/, /403/, /too long/, /in time/].entries()) {
    assert.match(reasons[index]!, words)
    assert.match(reasons[index]!, /\(HTTPS_PROXY\)/)
    assert.doesNotMatch(reasons[index]!, /s3cret|127\.0/)
  }
  for (const socket of proxy.connections.slice(0, 4)) await closed(socket)
})

test('a name that stands for an address in NO_PROXY is reached directly', async (context) => {
  const { web, proxy, address } = await open(context)
  const chooseProxy = openProxies({ httpsProxy: address, noProxy: '203.0.113.0/24' })
  const place = { isSecure: true, origin: `https://${NAME}`, port: 443 }
  assert.ok(chooseProxy({ ...place, hostname: NAME }))
  // GOOD is on loopback, which is never asked of a proxy.
  const egress = egressUnderTest(context, { ca: certificate.cert, chooseProxy })
  assert.match(await textOf(await egress.fetch(get(`https://${NAME}:${web.port}/`))), new RegExp(NAME))
  assert.equal(proxy.heads.length, 0)
})

type Options = Parameters<typeof egressUnderTest>[1]

async function open(context: TestContext, options: Options = {}, known?: Awaited<ReturnType<typeof openFakeProxy>>) {
  const web = await openWeb(
    context,
    ({ headers, url, socket }, reply) =>
      reply.end(`${(socket as { servername?: string }).servername} ${headers.host} ${url}`),
    certificate,
  )
  const proxy = known ?? (await openFakeProxy(context))
  proxy.targetPort = web.port
  proxy.targetHost = GOOD
  const address = `http://user:s3cret@127.0.0.1:${proxy.port}/`
  const settings = toProxy('HTTPS_PROXY', address)
  const egress = egressUnderTest(context, { ca: certificate.cert, chooseProxy: () => settings, ...options })
  return { web, proxy, egress, address }
}

function failureOf(work: Promise<unknown>): Promise<EgressFailed> {
  return work.then(
    () => assert.fail('it should have failed'),
    (error) => error,
  )
}
