import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeCertificate } from '../src/net/egress/fixtures/self-made-certificate.ts'

test('the health check of the image ends with 0 only for a good answer, over HTTP and HTTPS', async () => {
  const answer: RequestListener = (request, response) => {
    response.writeHead(request.url === '/health/live' ? 200 : 503).end('{}')
  }
  const certificate = makeCertificate(['gateway.example'])
  for (const server of [createServer(answer), createSecureServer(certificate, answer)]) {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const PORT = String((server.address() as AddressInfo).port)
    const checks = [
      healthCheck(['live', PORT], { PORT: '1' }),
      healthCheck(['ready', PORT], { PORT: '1' }),
      healthCheck(['live'], { PORT: '1' }),
      healthCheck(['live'], { PORT }),
      healthCheck(['live'], { PORT, TLS_CERT_FILE: 'some.crt' }),
    ]
    assert.deepEqual(await Promise.all(checks), [0, 1, 1, 0, 0])
    server.close()
  }
})

function healthCheck(words: string[], env: Record<string, string>): Promise<number> {
  const program = join(import.meta.dirname, 'health-check.js')
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...words], { env }, () => resolve(child.exitCode ?? -1))
  })
}
