import assert from 'node:assert/strict'
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { Agent, get } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { makeCertificate } from '../egress/fixtures/self-made-certificate.ts'
import { TlsCertificate } from './tls-certificate.ts'
import { TlsFilesError } from './tls-pair.ts'

const folder = await mkdtemp(join(tmpdir(), 'gatehouse-tls-'))
const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') }
const [first, second, third] = [makeCertificate(['localhost']), makeCertificate(['localhost']), makeCertificate(['x'])]
const lines: [string, object][] = []
const log = {
  info: (fields: object) => void lines.push(['info', fields]),
  error: (fields: object) => void lines.push(['error', fields]),
}

await writePair(first)
const certificate = await TlsCertificate.open(files, log)
const server = certificate.createServer({}, (_request, response) => response.end('hello'))
await once(server.listen(0, '127.0.0.1'), 'listening')
const { port } = server.address() as AddressInfo

after(async () => {
  certificate.close()
  server.close()
  server.closeAllConnections()
  await rm(folder, { recursive: true })
})

test('a new pair serves new connections, and an open connection goes on', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false })
  const before = await ask(agent)
  await writePair(second)
  await certificate.refresh()
  const kept = await ask(agent)
  assert.deepEqual([kept.fingerprint, kept.localPort], [fingerprintOf(first), before.localPort])
  assert.equal((await ask()).fingerprint, fingerprintOf(second))
  agent.destroy()
  assert.deepEqual(lines.splice(0), [['info', { expires_at: '2049-12-31T23:59:59.000Z' }]])
  await certificate.refresh()
  assert.deepEqual(lines, [])
})

const BROKEN: [title: string, cert: string, key: string, message: RegExp][] = [
  ['an empty certificate', '', third.key, /^TLS_CERT_FILE: .*tls\.crt has no certificate \(PEM\)/],
  ['half a certificate', third.cert.slice(0, 300), third.key, /^TLS_CERT_FILE: .* has no certificate/],
  ['an empty key', third.cert, '', /^TLS_KEY_FILE: .*tls\.key has no private key/],
  ['a key with a passphrase', third.cert, encryptedKey(), /^TLS_KEY_FILE: .* has no private key \(PEM, without a pass/],
  ['the key of another certificate', third.cert, second.key, /^TLS_KEY_FILE: .* is not the key of the first cert/],
]

for (const [title, cert, key, message] of BROKEN)
  test(`${title} is logged once, without its content, and the old pair stays`, async () => {
    await writePair({ cert, key })
    await certificate.refresh()
    await certificate.refresh()
    const [[level, { reason }], ...others] = lines.splice(0) as [[string, { reason: string }], ...unknown[]]
    assert.deepEqual([level, others], ['error', []])
    assert.match(reason, message)
    assert.doesNotMatch(reason, /BEGIN|MII/)
    assert.equal((await ask()).fingerprint, fingerprintOf(second))
    await assert.rejects(TlsCertificate.open(files, log), TlsFilesError)
  })

test('a missing file is logged; a symbolic link that leads elsewhere is a change', async () => {
  await rm(files.keyFile)
  await certificate.refresh()
  assert.match((lines.splice(0)[0]![1] as { reason: string }).reason, /^TLS_KEY_FILE: .* cannot be read \(ENOENT\)$/)
  for (const [name, text] of [
    ['tls.crt', third.cert],
    ['tls.key', third.key],
  ] as const) {
    await writeFile(join(folder, `new-${name}`), text)
    await symlink(`new-${name}`, join(folder, 'link'))
    await rename(join(folder, 'link'), join(folder, name))
  }
  await certificate.refresh()
  assert.deepEqual(
    lines.splice(0).map(([level]) => level),
    ['info'],
  )
  assert.equal((await ask()).fingerprint, fingerprintOf(third))
})

test('a client that does not speak TLS does not disturb other clients', async () => {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.end('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  socket.resume()
  await once(socket, 'close')
  assert.equal((await ask()).fingerprint, fingerprintOf(third))
})

type Seen = { fingerprint: string; localPort: number | undefined }

function ask(agent = new Agent({ rejectUnauthorized: false })): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const request = get({ port, host: '127.0.0.1', agent }, (response) => {
      const socket = response.socket as TLSSocket
      const seen = { fingerprint: socket.getPeerCertificate().fingerprint256, localPort: socket.localPort }
      response.resume().once('end', () => resolve(seen))
    })
    request.on('error', reject)
  })
}

async function writePair({ cert, key }: { cert: string; key: string }): Promise<void> {
  await writeFile(files.certFile, cert)
  await writeFile(files.keyFile, key)
}

function fingerprintOf({ cert }: { cert: string }): string {
  return new X509Certificate(cert).fingerprint256
}

function encryptedKey(): string {
  const format = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' } as const
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(format).toString()
}
