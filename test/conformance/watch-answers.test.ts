import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { API_ROUTES } from '../../src/http/routes/api-routes.ts'
import { openapiDocument } from '../../src/http/openapi/document.ts'
import { answerChecker } from './check-answer.ts'
import { watchServer } from './watch-answers.ts'

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }
const EVENTS = { 'content-type': 'text/event-stream' }
const ERROR = { message: 'm', type: 't', code: null, param: null }
const CHAT = '/v3/chat/completions'
const CHUNK = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'a/b', choices: [] }

type Case = [method: string, path: string, answer: (response: ServerResponse) => void]

const AS_DOCUMENTED: Record<string, Case> = {
  'a body': ['GET', '/health/live', (response) => response.writeHead(200, JSON_TYPE).end('{"status":"live"}')],
  'an encoded path': [
    'GET',
    '/health/%6Cive',
    (response) => response.writeHead(200, JSON_TYPE).end('{"status":"live"}'),
  ],
  'no body': ['GET', '/v3/models', (response) => response.writeHead(304).end()],
  'events in one write and in chunks of our own': [
    'POST',
    CHAT,
    (response) => {
      response.writeHead(200, ['content-type', 'text/event-stream'])
      const event = `data: ${JSON.stringify(CHUNK)}\n\ndata: [DONE]\n\n`
      response.chunkedEncoding = false
      response.write(`${event.length.toString(16)}\r\n${event}\r\n`, 'latin1')
      response.end('0\r\n\r\n')
    },
  ],
  'an unknown path': [
    'GET',
    '/x',
    (response) => response.writeHead(404, JSON_TYPE).end(JSON.stringify({ error: ERROR })),
  ],
}

const VIOLATIONS: Record<string, [...Case, fault: RegExp]> = {
  'another status': ['GET', '/health/live', (response) => response.writeHead(201, JSON_TYPE).end('{}'), /status/],
  'another type': [
    'GET',
    '/health/live',
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('a'),
    /type/,
  ],
  'no type': ['GET', '/health/live', (response) => response.writeHead(200).end('{"status":"live"}'), /type/],
  'another body': [
    'GET',
    '/health/live',
    (response) => response.writeHead(200, JSON_TYPE).end('{"status":7}'),
    /status/,
  ],
  'a body in pieces': [
    'GET',
    '/health/live',
    (response) => {
      response.writeHead(200, JSON_TYPE).write('{"sta')
      response.end('te":1}')
    },
    /required properties status/,
  ],
  'another event': ['POST', CHAT, (response) => response.writeHead(200, EVENTS).end('data: {"id":1}\n\n'), /event/],
  'another error': ['POST', CHAT, (response) => response.writeHead(404, JSON_TYPE).end('{"error":"no"}'), /error/],
  'an answer to an unknown path': ['GET', '/x', (response) => response.writeHead(200, JSON_TYPE).end('{}'), /status/],
}

for (const [title, one] of Object.entries(AS_DOCUMENTED))
  test(`${title}: as documented`, async () => assert.deepEqual(await foundAfter(one), []))

for (const [title, [method, path, answer, fault]] of Object.entries(VIOLATIONS))
  test(`${title}: a violation`, async () => {
    const found = await foundAfter([method, path, answer])
    assert.equal(found.length, 1)
    assert.match(found[0]!, fault)
  })

const check = answerChecker(openapiDocument(API_ROUTES))

async function foundAfter([method, path, answer]: Case): Promise<string[]> {
  const found: string[] = []
  const server = createServer((_request, response) => answer(response))
  watchServer(server, check, found)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const reply = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { method })
  await reply.arrayBuffer()
  server.close()
  await once(server, 'close')
  return found
}
