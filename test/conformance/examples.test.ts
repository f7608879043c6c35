import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openapiDocument } from '../../src/http/openapi/document.ts'
import { EXAMPLE_ID, EXAMPLE_TOKEN } from '../../src/http/openapi/examples.ts'
import type { Content, OpenApiDocument, Operation, Parameter } from '../../src/contract/openapi/document.ts'
import { API_ROUTES } from '../../src/http/routes/api-routes.ts'
import { ADMIN_ROUTES } from '../../src/http/routes/admin-routes.ts'
import { sandboxKey } from '../clients/sandbox-key.ts'
import { ADMIN_KEY, type GatewayUnderTest } from '../gateway/gateway-under-test.ts'
import { type FakeMcpServer, startMcpServer } from '../fakes/mcp-server.ts'
import { startReceiver } from '../fakes/webhook-receiver.ts'
import { startGatewayWithProvider, type WithProvider } from './own-provider.ts'
import { type Own, ownThings } from './own-things.ts'

/** Every file of a form gets these bytes, which are a whole PNG. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)

// Sends the example of every operation of both documents. The gateway of the tests compares the answers with the documents,
// so that only the status is left to check here.

describe('every operation has an example that works', () => {
  let gateway: GatewayUnderTest
  let started: WithProvider
  let key: string
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let mcpServer: FakeMcpServer
  before(async () => {
    receiver = await startReceiver()
    mcpServer = await startMcpServer()
    started = await startGatewayWithProvider({ ALLOW_NETWORKS: '127.0.0.0/8' })
    gateway = started.gateway
    key = await sandboxKey(gateway)
  })
  after(async () => {
    await started.close()
    await receiver.stop()
    await mcpServer.close()
  })

  for (const [listener, routes] of [
    ['API', API_ROUTES],
    ['admin', ADMIN_ROUTES],
  ] as const) {
    const document = openapiDocument(routes)
    for (const one of operationsOf(document))
      test(`${listener}: the example of ${one.method} ${one.path} succeeds`, async () => {
        const bodies = bodiesOf(one.operation)
        for (const body of bodies) assert.equal(await sendExample(listener, one, body), successOf(one.operation))
      })
  }

  type One = { method: string; path: string; operation: Operation }

  /** Ids in the example stand for things that the reader has, so they are created first. */
  async function sendExample(listener: 'API' | 'admin', { method, path, operation }: One, body: Body): Promise<number> {
    const things = ownThings(gateway, key, { receiver: receiver.url, mcpServer: mcpServer.url })
    const own = (await started.own(path)) ?? (await things.for(path, JSON.stringify(body?.value ?? '')))
    const url = `${listener === 'API' ? gateway.url : gateway.adminUrl}${filled(path, operation, own)}${own.query ?? ''}`
    const identity = own.cookie
      ? { cookie: own.cookie }
      : { authorization: `Bearer ${listener === 'API' ? key : ADMIN_KEY}` }
    const sent = sentBody(body, own)
    const headers = { ...identity, ...sent?.headers, ...(own.headers && JSON.parse(own.headers)) }
    const reply = await fetch(url, { method, headers, body: sent?.body ?? null, redirect: 'manual' })
    // This stream has no end of its own.
    if (path === '/admin/requests/live') await reply.body?.cancel()
    else await reply.arrayBuffer()
    return reply.status
  }
})

type Body = { type: string; value: Record<string, unknown>; files: string[] } | undefined

function operationsOf({ paths }: OpenApiDocument) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

/** A sign-in leads elsewhere, and a stub answers with the error that it documents. */
/** An address for WebSockets tells a plain request so. */
function successOf({ responses }: Operation): number {
  return Number(Object.keys(responses).find((status) => /^[23]|^426|^501/.test(status)) ?? 400)
}

function bodiesOf({ operationId, requestBody }: Operation): Body[] {
  if (!requestBody) return [undefined]
  return Object.entries(requestBody.content as Content).map(([type, { example }]) => {
    assert.ok(example, `${operationId} has no example of ${type}`)
    const files = type === 'multipart/form-data' ? FILE_FIELDS[operationId]! : []
    return { type, value: example as Record<string, unknown>, files }
  })
}

const EXAMPLE_PART = `part_${EXAMPLE_ID.replaceAll('-', '')}`

/** In an example, a text stands for the bytes of a file. */
const FILE_FIELDS: Record<string, string[]> = {
  postAudioTranscriptions: ['file'],
  postAudioTranslations: ['file'],
  postImagesEdits: ['image'],
  postFiles: ['file'],
  postVideos: ['input_reference'],
  postAnthropicFiles: ['file'],
  postUploadsByUploadIdParts: ['data'],
  postUpload: ['file'],
  postAdminPlaygroundUpload: ['file'],
}

function filled(path: string, { parameters = [] }: Operation, own: Own): string {
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  return inPath.reduce((filling, { name, example }: Parameter) => {
    assert.ok(example, `${path} has no example of ${name}`)
    return filling.replace(`{${name}}`, own[name] ?? String(example))
  }, path)
}

function sentBody(body: Body, own: Own) {
  const type = 'application/x-www-form-urlencoded'
  if (own.form) return { headers: { 'content-type': type }, body: own.form }
  return body && encoded(body, own)
}

function encoded(
  { type, value, files }: NonNullable<Body>,
  { id = EXAMPLE_ID, token = EXAMPLE_TOKEN, part = EXAMPLE_PART }: Own,
) {
  const text = JSON.stringify(value)
    .replaceAll(EXAMPLE_ID, id)
    .replaceAll(EXAMPLE_TOKEN, token)
    .replaceAll(EXAMPLE_PART, part)
  if (type === 'application/json') return { headers: { 'content-type': type }, body: text }
  const form = new FormData()
  for (const [name, field] of Object.entries(value))
    if (files.includes(name)) form.set(name, new Blob([PNG]), 'door.png')
    else form.set(name, String(field))
  return { headers: {}, body: form }
}
