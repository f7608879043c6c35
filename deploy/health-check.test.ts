import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeCertificate } from '../src/platform/net/egress/fixtures/self-made-certificate.ts'

test('the health check of the image ends with 0 only for a good answer, over HTTP and HTTPS', async (t) => {
  const answer: RequestListener = (request, response) => {
    response.writeHead(request.url === '/health/live' ? 200 : 503).end('{}')
  }
  const certificate = makeCertificate(['gateway.example'])
  for (const server of [createServer(answer), createSecureServer(certificate, answer)]) {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    t.after(() => server.close())
    const PORT = String((server.address() as AddressInfo).port)
    const checks = [
      soonHealthy(['live', PORT], { PORT: '1' }),
      healthCheck(['ready', PORT], { PORT: '1' }),
      healthCheck(['live'], { PORT: '1' }),
      soonHealthy(['live'], { PORT }),
      soonHealthy(['live'], { PORT, TLS_CERT_FILE: 'some.crt' }),
    ]
    assert.deepEqual(await Promise.all(checks), [0, 1, 1, 0, 0])
  }
})

/** A busy machine may be too slow for the limit of the check, but not every time. */
async function soonHealthy(words: string[], env: Record<string, string>): Promise<number> {
  let code = 1
  for (let tries = 0; code !== 0 && tries < 5; tries++) code = await healthCheck(words, env)
  return code
}

function healthCheck(words: string[], env: Record<string, string>): Promise<number> {
  const program = join(import.meta.dirname, 'health-check.js')
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...words], { env }, () => resolve(child.exitCode ?? -1))
  })
}
