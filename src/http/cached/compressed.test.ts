import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { fastify } from 'fastify'
import { type Compressed, compressible, sendCompressed } from './compressed.ts'

const TEXT = Buffer.from('A script. '.repeat(100))
/** The compressor refuses it. */
const INVALID_QUALITY = 'best' as never
const headers = { 'accept-encoding': 'br' }

function serverOf(found: Compressed) {
  return fastify().get('/', (request, reply) => sendCompressed(request, reply, found))
}

test('a text that cannot be compressed is sent as it is', async () => {
  const reply = await serverOf(compressible(TEXT, 'text/plain', INVALID_QUALITY)).inject({ url: '/', headers })
  assert.deepEqual([reply.statusCode, reply.headers['content-encoding']], [200, undefined])
  assert.deepEqual(reply.rawPayload, TEXT)
})

test('a failure is not kept, and a success is', async () => {
  const failing = compressible(TEXT, 'text/plain', INVALID_QUALITY)
  const failures = await Promise.all([failing.br(), failing.br()].map((one) => one.catch((error) => error)))
  assert.equal(failures[0], failures[1])
  const again = await failing.br().catch((error) => error)
  assert.ok(again instanceof Error && again !== failures[0])
  const working = compressible(TEXT, 'text/plain')
  assert.equal(await working.br(), await working.br())
})

test('a client that takes it gets the compressed text', async () => {
  const reply = await serverOf(compressible(TEXT, 'text/plain')).inject({ url: '/', headers })
  assert.equal(reply.headers['content-encoding'], 'br')
  assert.deepEqual(brotliDecompressSync(reply.rawPayload), TEXT)
})
