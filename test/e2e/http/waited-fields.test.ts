import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { recordOf } from '../../../src/base/schema/record.ts'
import { WAITED_FIELDS } from '../../../src/contract/stray-fields.ts'
import { API_ROUTES } from '../../../src/http/routes/api-routes.ts'
import { EXAMPLE_ID, EXAMPLES, EXAMPLES_BY_PATH, EXAMPLES_IN_PATHS } from '../../../src/http/openapi/examples.ts'
import type { Route } from '../../../src/http/route.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { startGateway } from '../../gateway/gateway-under-test.ts'

// A field whose effect callers wait for is never dropped silently. For each endpoint of the contract and each such field: one request
// that shows that the field is applied, refused, or named in the header of dropped fields.

const gateway = await startGateway()
after(() => gateway.close())
const { key } = await adminClient(gateway.adminUrl).issue({ kind: 'sandbox' })
const authorization = `Bearer ${key}`
const upload = await uploaded()

/** Values that cannot be carried out, so that the refusal shows that the field was read. A refusal of the field itself has a shorter path. */
const VALUES: Record<keyof typeof WAITED_FIELDS, unknown> = {
  fallbacks: ['no-such-provider/x'],
  router_candidates: ['sandbox/echo'],
  routing: { allowed_providers: ['no-such-provider'] },
  pre_hooks: [{ action: 'no-such-hook' }],
  post_hooks: [{ action: 'no-such-hook' }],
  extra_body: { model: 'other' },
  extra_headers: { authorization: 'other' },
  stream: true,
  webhook_receiver: 'http://127.0.0.1/hook',
  user_webhook_parameters: { order: 7 },
}

/**
 * Requests that ask a model, or a provider of tasks. A message of MCP leads to such a request. Telemetry of agents asks for nothing and
 * goes to the operator's collector as it is.
 */
const ROUTES = API_ROUTES.filter(
  ({ method, access, body, path }) => method === 'POST' && access !== 'manage' && body && !path.includes('_id}'),
).filter(({ scope, path, isOn }) => scope !== 'files' && scope !== 'mcp' && !path.startsWith('/v3/claude/') && !isOn)

test('every endpoint that asks a model is tried', () => {
  const paths = ROUTES.map(({ path }) => path)
  for (const path of [
    'chat/completions',
    'responses',
    'v1/messages',
    'embeddings',
    'images/edits',
    'universal-ai/async',
  ])
    assert.ok(paths.includes(`/v3/${path}`), path)
  assert.ok(paths.length > 20)
})

for (const route of ROUTES)
  describe(route.path, () => {
    const known = recordOf(recordOf(route.body).properties)
    for (const field of Object.keys(WAITED_FIELDS))
      test(`${field} is applied, refused or noted`, async () => {
        const found = await outcomeOf(route, field)
        // What an open contract does not have is the provider's.
        if (found === 'passed on') return assert.ok(recordOf(route.body).additionalProperties === true)
        const expected =
          Object.hasOwn(known, field) || isItsWay(route, field) ? ['applied', 'noted'] : ['refused', 'noted']
        assert.ok(expected.includes(found), `${field} at ${route.path} is ${found}`)
      })
  })

/** A path that streams needs no field for it. */
function isItsWay({ path, replies }: Route, field: string): boolean {
  return field === 'stream' && replies[200]?.events !== undefined && path !== '/v3/audio/speech'
}

async function outcomeOf(route: Route, field: string): Promise<string> {
  const url = route.path.replace(/\{(\w+)\}/, (_, name) => EXAMPLES_BY_PATH[route.path] ?? EXAMPLES_IN_PATHS[name]!)
  const example = JSON.stringify(EXAMPLES[String(recordOf(route.body).title)]).replaceAll(EXAMPLE_ID, upload)
  const response = await fetch(gateway.url + url, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ ...JSON.parse(example), [field]: VALUES[field] }),
  })
  const text = await response.text()
  if (response.headers.get('x-gatehouse-dropped-fields')?.split(', ').includes(field)) return 'noted'
  if (text.includes('no-such-provider')) return 'applied'
  const locs = pathsIn(text).filter(([, name]) => name === field)
  if (locs.some(({ length }) => length === 2)) return isRefusedByValue(route, field) ? 'applied' : 'refused'
  if (locs.length > 0) return 'applied'
  if (field === 'stream')
    return /event-stream|array/.test(response.headers.get('content-type') ?? '') ? 'applied' : text
  if (field === 'user_webhook_parameters' && text.includes('"order"')) return 'applied'
  // The answer of a video does not have them: the webhook does.
  if (field === 'user_webhook_parameters' && route.path === '/v3/videos' && response.ok) return 'applied'
  return response.ok && field.includes('webhook') ? 'passed on' : `neither: ${response.status} ${text.slice(0, 300)}`
}

/** Where jobs have a webhook, an address that may not be called is refused at the field itself. */
function isRefusedByValue({ path }: Route, field: string): boolean {
  return ['/v3/universal-ai/async', '/v3/videos'].includes(path) && field === 'webhook_receiver'
}

/** The places that a refusal names, in whichever format it is written. */
function pathsIn(text: string): (string | number)[][] {
  const { detail, error } = JSON.parse(text.startsWith('{') ? text : '{}')
  if (Array.isArray(detail)) return detail.map(({ loc }: { loc: string[] }) => loc)
  const message: string = error?.message ?? ''
  const [, path] = /([a-z_]+(?:\.[\w-]+)*): /i.exec(message) ?? []
  const param: string | undefined = path ?? error?.details?.[0]?.metadata?.param
  return param ? [['body', ...param.split('.')]] : []
}

async function uploaded(): Promise<string> {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(2_000)]), 'a.wav')
  const response = await fetch(`${gateway.url}/v3/upload`, { method: 'POST', headers: { authorization }, body: form })
  return ((await response.json()) as { file_id: string }).file_id
}
