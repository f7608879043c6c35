import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { API_ROUTES } from '../../../src/http/routes/api-routes.ts'
import { ADMIN_ROUTES } from '../../../src/http/routes/admin-routes.ts'
import type { Route } from '../../../src/http/route.ts'
import { ownerKey } from '../../../src/platform/store/owner.ts'
import { deleteProject } from '../../../src/platform/store/projects/delete-project.ts'
import { withDashes } from '../../../src/base/schema/resource-id.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { startReceiver } from '../../fakes/webhook-receiver.ts'
import { someOf } from '../../soak/sample.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type Client, clientOf, operator } from '../../gateway/people-under-test.ts'
import { taskClient } from '../../gateway/task-client.ts'

// What another owner has answers exactly as what never existed: for every kind of content, on every route that takes its id, for
// callers of other organizations and projects, for other keys where keys do not share, for owners whose ids look like others', and,
// once the owner is deleted, for everyone.

const POLL_MS = 10
const COLLECTION = 'image/face_recognition/sandbox'
/** So many of the attempts are made for each pair of an owner and a stranger under `npm test`. */
const ATTEMPTS_TO_TRY = 5

/** The content of an owner, by the name of the parameter that takes its id. */
type Things = Record<(typeof CONTENT_PARAMETERS)[number] | 'delivery_id' | 'watched_batch_id', string>
type Owned = { name: string; things: Things; link: string; read: () => Promise<void> }
/** `ask` sends a request and returns what came back, without what differs in two answers to the same. */
type Stranger = { name: string; isAdmin: boolean; ask(method: string, path: string, body?: object): Promise<Got> }
type Got = { status: number; text: string }
type Attempt = { name: string; isAdmin: boolean; send(stranger: Stranger, things: Things): Promise<Got> }

const CONTENT_PARAMETERS = [
  ...(['file_id', 'job_id', 'response_id', 'conversation_id', 'conversation_item_id'] as const),
  ...(['collection_id', 'item_id', 'call_id', 'upload_id', 'file', 'agent_session'] as const),
  ...(['batch_id', 'message_batch_id', 'batch', 'video_id'] as const),
]
/** The ledger keeps its lines. */
const OF_LEDGER = new Set(['GET /admin/requests/{call_id}', 'GET /admin/agent-sessions/{agent_session}'])
/** What other parameters name is no content of callers. */
const OTHER_PARAMETERS = new Set([
  ...[
    'model',
    'feature',
    'subfeature',
    'provider',
    'asset',
    'project',
    'end_user',
    'organization',
    'alias',
    'guardrail_id',
    'limit_id',
    'token_id',
    'email',
  ],
  // An upload of Google's clients goes on at a signed address, and a server of MCP is one that the operator has configured.
  ...['name', 'id', 'upload', 'server_name'],
  // There are no characters.
  'character_id',
])

const BODIES: Record<string, object> = {
  'POST /v3/conversations/{conversation_id}': { metadata: { changed: 'yes' } },
  'POST /v3/conversations/{conversation_id}/items': { items: [{ role: 'user', content: 'mine now' }] },
  'POST /v3/universal-ai/collections/{collection_id}/items': { file: 'https://a.example/face.png' },
  'POST /v3/uploads/{upload_id}/complete': { part_ids: [] },
}

/** Requests that name content in their bodies. */
const REFERENCES: Record<string, (things: Things) => [path: string, body: object]> = {
  'a chat with the file': ({ file_id }) => ['/v3/chat/completions', chatWith({ type: 'file', file: { file_id } })],
  'a response with the file': ({ file_id }) => ['/v3/responses', inputOf({ type: 'input_file', file_id })],
  'a response after the response': ({ response_id: previous_response_id }) => [
    '/v3/responses',
    { model: 'sandbox/echo', input: 'Hi', previous_response_id },
  ],
  'a response in the conversation': ({ conversation_id: conversation }) => [
    '/v3/responses',
    { model: 'sandbox/echo', input: 'Hi', conversation },
  ],
  'a response in the background in the conversation': ({ conversation_id: conversation }) => [
    '/v3/responses',
    { model: 'sandbox/echo', input: 'Hi', conversation, background: true },
  ],
  'a task with the file': ({ file_id: file }) => ['/v3/universal-ai', { model: 'ocr/ocr/sandbox', input: { file } }],
  'a batch of the file': ({ file_id: input_file_id }) => [
    '/v3/batches',
    { input_file_id, endpoint: '/v1/chat/completions', completion_window: '24h' },
  ],
  "a batch of the file for Google's clients": ({ file }) => [
    '/v3/v1beta/models/sandbox/echo:batchGenerateContent',
    { batch: { inputConfig: { fileName: `files/${file}` } } },
  ],
  'a search in the collection': ({ collection_id, file_id: file }) => [
    '/v3/universal-ai',
    { model: COLLECTION, input: { collection_id, file } },
  ],
}

function chatWith(part: object) {
  return { model: 'sandbox/echo', messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, part] }] }
}

function inputOf(part: object) {
  return { model: 'sandbox/echo', input: [{ role: 'user', content: [part] }] }
}

function parametersOf({ path }: Route): string[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name!)
}

/** `/admin/deliveries/{id}` calls its parameter like those of keys and users; operators name a batch as the ledger does. */
function contentPath({ path }: Route): string {
  if (path.startsWith('/admin/batches/')) return path.replace('{id}', '{watched_batch_id}')
  return path.startsWith('/admin/deliveries/') ? path.replace('{id}', '{delivery_id}') : path
}

const isOfContent = (route: Route) =>
  contentPath(route) !== route.path ||
  parametersOf(route).some((name) => (CONTENT_PARAMETERS as readonly string[]).includes(name))

const ROUTES = [
  ...API_ROUTES.filter(isOfContent).map((route) => ({ route, isAdmin: false })),
  ...ADMIN_ROUTES.filter(isOfContent).map((route) => ({ route, isAdmin: true })),
]

const ATTEMPTS: Attempt[] = [
  ...ROUTES.map(({ route, isAdmin }): Attempt => {
    const name = `${route.method} ${route.path}`
    const body = route.method === 'POST' ? (BODIES[name] ?? {}) : undefined
    const pathFor = (things: Things) =>
      contentPath(route).replace(/\{(\w+)\}/g, (_, parameter) => things[parameter as keyof Things])
    return { name, isAdmin, send: (stranger, things) => stranger.ask(route.method, pathFor(things), body) }
  }),
  ...Object.entries(REFERENCES).map(([name, request]): Attempt => {
    return { name, isAdmin: false, send: (stranger, things) => stranger.ask('POST', ...request(things)) }
  }),
]

test('every parameter of every route is known to name content or not', () => {
  const names = new Set([...API_ROUTES, ...ADMIN_ROUTES].flatMap(parametersOf))
  const known = new Set<string>([...CONTENT_PARAMETERS, ...OTHER_PARAMETERS])
  assert.deepEqual(
    [...names].filter((name) => !known.has(name)),
    [],
  )
  for (const name of CONTENT_PARAMETERS)
    assert.ok(
      ATTEMPTS.some((attempt) => attempt.name.includes(name)),
      name,
    )
})

for (const [shift, { name, skip, newStore }] of (await storeKinds()).entries()) {
  describe(`content of another owner on ${name}`, { skip }, () => {
    const closing = new AsyncDisposableStack()
    const owners: Owned[] = []
    const strangers: Stranger[] = []
    const ofDeleted: Stranger[] = []
    let gateway: GatewayUnderTest
    let admin: Client
    let receiver: string

    before(async () => {
      const { url, stop } = await startReceiver()
      closing.defer(stop)
      receiver = url
      gateway = await startGateway({ newStore, env: { ALLOW_NETWORKS: '127.0.0.0/8' } })
      closing.defer(() => gateway.close())
      admin = operator(gateway)
      await furnish()
    })
    after(() => closing.disposeAsync())

    test('answers as what never existed, and stays what it was', async () => {
      for (const [turn, owner] of owners.entries())
        for (const [index, stranger] of strangers.entries()) await tryAll(owner, stranger, turn + index + shift)
      for (const { read } of owners) await read()
    })

    test('is in no list', async () => {
      const lists = [...API_ROUTES, ...ADMIN_ROUTES].filter(isList)
      const ids = owners.flatMap(({ things }) => Object.values(things))
      for (const [index, stranger] of strangers.entries())
        for (const route of someOf(
          lists.filter(({ path }) => isAdminPath(path) === stranger.isAdmin),
          index,
          4,
        )) {
          const { text } = await stranger.ask('GET', route.path)
          for (const id of ids) assert.ok(!text.includes(id), `${stranger.name} GET ${route.path} has ${id}`)
        }
    })

    test('is gone for everyone when its project is deleted, also while it is still being removed', async () => {
      const gone = await ownerIn({ name: 'a deleted project', project: 'gone', key: await keyOf('gone') })
      await gone.read()
      assert.equal((await fetch(gone.link)).status, 200)
      await deleteProject(gateway.gateway.services.calls.db, 'gone', { force: true })
      await gateway.gateway.services.tenants.keyCache.refresh()
      for (const [index, stranger] of [...strangers, ...ofDeleted].entries())
        await tryAll(gone, stranger, index, (attempt) => !OF_LEDGER.has(attempt.name))
      const [link, unknown] = await Promise.all([gone.link, unlike(gone.link)].map((url) => gotOf(url)))
      assert.equal(link!.status, 404)
      assert.ok([403, 404].includes(unknown!.status))
      const [row] = await gateway.gateway.services.calls.db.query('SELECT id FROM jobs WHERE project = $1', ['gone'])
      assert.ok(row, 'the content was there all the time')
    })

    /** Makes the attempts with the content of the owner, and with ids that were never given to anything. */
    async function tryAll(owner: Owned, stranger: Stranger, index: number, isMeant = (_: Attempt) => true) {
      const meant = ATTEMPTS.filter((attempt) => attempt.isAdmin === stranger.isAdmin && isMeant(attempt))
      for (const attempt of someOf(meant, index, ATTEMPTS_TO_TRY)) {
        const unknown = unknownThings(owner.things)
        const [got, never] = [await attempt.send(stranger, owner.things), await attempt.send(stranger, unknown)]
        const title = `${stranger.name}: ${attempt.name} of ${owner.name}`
        assert.ok(got.status >= 400 && got.status < 500, `${title}: ${got.status} ${got.text}`)
        assert.deepEqual(withoutIds(got, owner.things), withoutIds(never, unknown), title)
      }
    }

    async function furnish() {
      for (const id of ['acme', 'other']) await made('/admin/organizations', { name: id, id })
      for (const [id, organization, share] of [
        ['mine', 'acme', 'project'],
        ['apart', 'acme', 'key'],
        ['beside', 'acme', 'project'],
        ['gone', 'acme', 'project'],
        ['far', 'other', 'project'],
      ] as const)
        await made('/admin/projects', { name: id, id, organization, share })
      for (const id of ['mine', 'apart', 'gone'])
        assert.equal((await admin('PATCH', `/admin/projects/${id}`, { content: { mode: 'full' } })).status, 200)
      const mine = await keyOf('mine')
      const first = await made('/admin/keys', { name: 'k', project: 'apart' })
      owners.push(await ownerIn({ name: 'a project', project: 'mine', key: mine }))
      owners.push(await ownerIn({ name: 'a key', project: 'apart', key: first.key }))
      const inProject = ownerKey({ project: 'mine', ownerKind: 'project', ownerId: 'mine' })
      const ofKey = ownerKey({ project: 'apart', ownerKind: 'key', ownerId: first.id })
      const lookAlikes = [first.id, inProject, ofKey, 'project:mine', 'mine ', `apart-${'0'.repeat(32)}@apart`]
      const keys: [string, string][] = [
        ['a key of another organization', await keyOf('far')],
        ['a key of another project', await keyOf('beside')],
        ['another key of the project whose keys do not share', await keyOf('apart')],
        ['a key without a project', (await made('/admin/keys', { name: 'k' })).key],
      ]
      // With the id of a key as its owner, a new key would share with that key.
      await made('/admin/projects', { name: 'named like a key', id: first.id })
      for (const owner of lookAlikes)
        keys.push([`a key of the project ${owner}`, (await made('/admin/keys', { name: 'k', owner })).key])
      for (const [who, key] of keys) strangers.push(callerWith(who, key))
      strangers.push(await staffOf('an admin of another organization', { role: 'admin', organization: 'other' }))
      strangers.push(await staffOf('a manager of another project', { role: 'manager', project: 'beside' }))
      strangers.push(await staffOf('a member of the project', { role: 'member', project: 'apart' }))
      ofDeleted.push(await staffOf('an admin of the organization', { role: 'admin', organization: 'acme' }))
      ofDeleted.push(adminWith('the operator', admin))
    }

    async function keyOf(project: string): Promise<string> {
      return (await made('/admin/keys', { name: 'k', project })).key
    }

    async function made(path: string, body: object) {
      const answer = await admin('POST', path, body)
      assert.equal(answer.status, 201, `${path} ${JSON.stringify(answer.body)}`)
      return answer.body
    }

    async function staffOf(who: string, place: object): Promise<Stranger> {
      const { id } = await made('/admin/users', { name: who, ...place })
      const { token } = await made(`/admin/users/${id}/tokens`, { name: 't' })
      return adminWith(who, clientOf(gateway, { authorization: `Bearer ${token}` }))
    }

    function adminWith(who: string, client: Client): Stranger {
      return {
        name: who,
        isAdmin: true,
        ask: async (method, path, body) => {
          const answer = await client(method, path, body)
          return { status: answer.status, text: JSON.stringify(answer.body) }
        },
      }
    }

    function callerWith(who: string, key: string): Stranger {
      return {
        name: who,
        isAdmin: false,
        ask: (method, path, body) =>
          gotOf(gateway.url + path, {
            method,
            headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
            ...(body && { body: JSON.stringify(body) }),
          }),
      }
    }

    /** One of everything. */
    async function ownerIn({ name, project, key }: { name: string; project: string; key: string }): Promise<Owned> {
      const tasks = taskClient(gateway.url, key)
      const { file_id } = await tasks.store('text of the owner', 'a.txt')
      const conversation = await tasks.post<{ id: string }>('/v3/conversations', {
        items: [{ role: 'user', content: 'hello' }],
      })
      const conversation_id = conversation.body.id
      const items = await tasks.get<{ data: { id: string }[] }>(`/v3/conversations/${conversation_id}/items`)
      const response = await tasks.post<{ id: string }>('/v3/responses', {
        model: 'sandbox/echo',
        input: 'Hello!',
        session_id: `session of ${name}`,
      })
      const collection = await tasks.post<{ collection_id: string }>('/v3/universal-ai/collections', {
        model: COLLECTION,
      })
      const { collection_id } = collection.body
      const face = await tasks.store(PIXEL, 'a.png')
      const added = await tasks.post<{ item_ids: string[] }>(`/v3/universal-ai/collections/${collection_id}/items`, {
        file: face.file_id,
      })
      const task = { model: 'text/moderation/sandbox', input: { text: 'Hello!' }, webhook_receiver: `${receiver}/200` }
      const job_id = (await tasks.submit(task)).body.job_id
      await tasks.ended(job_id)
      const video = await tasks.post<{ id: string }>('/v3/videos', { model: 'sandbox', prompt: 'Waves' })
      await tasks.ended(video.body.id)
      const spoken = await tasks.run({ model: 'audio/tts/sandbox', input: { text: 'Hello!' } })
      await gateway.gateway.services.calls.contents.written()
      await gateway.gateway.services.calls.ledger.flush()
      const upload = await tasks.post<{ id: string }>('/v3/uploads', {
        filename: 'b.txt',
        purpose: 'user_data',
        mime_type: 'text/plain',
        bytes: 5,
      })
      const things = {
        ...(await batchesOf(tasks)),
        upload_id: upload.body.id,
        video_id: video.body.id,
        // The name of a file for clients of Google.
        file: file_id.replaceAll('-', ''),
        file_id,
        job_id,
        response_id: response.body.id,
        conversation_id,
        collection_id,
        conversation_item_id: items.body.data[0]!.id,
        item_id: added.body.item_ids[0]!,
        call_id: response.headers.get('x-request-id')!,
        agent_session: await agentSessionOf(name),
        delivery_id: await deliveryOf(job_id),
      }
      for (const [thing, id] of Object.entries(things)) assert.ok(id, `${project} ${thing}`)
      const read = async () => {
        const [own, operators] = [callerWith(name, key), adminWith('the operator', admin)]
        for (const attempt of ATTEMPTS.filter(isReading)) {
          const { status, text } = await attempt.send(attempt.isAdmin ? operators : own, things)
          assert.equal(status, 200, `${name} ${attempt.name} ${text}`)
        }
      }
      const { audio_resource_url: link } = spoken.body.output as { audio_resource_url: string }
      return { name, things, link, read }
    }

    /** One in each shape. They have ended, so that their results can be read. */
    async function batchesOf(tasks: ReturnType<typeof taskClient>) {
      const chat = { model: 'sandbox/echo', max_tokens: 9, messages: [{ role: 'user', content: 'text of the owner' }] }
      const request = { contents: [{ role: 'user', parts: [{ text: 'text of the owner' }] }] }
      const { id: batch_id } = await batchAt('/v3/batches', {
        endpoint: '/v3/chat/completions',
        requests: [{ custom_id: 'one', body: chat }],
      })
      const { id: message_batch_id } = await batchAt('/v3/v1/messages/batches', {
        requests: [{ custom_id: 'one', params: chat }],
      })
      const { name } = await batchAt('/v3/v1beta/models/sandbox/echo:batchGenerateContent', {
        batch: { inputConfig: { requests: { requests: [{ request }] } } },
      })
      await ended(`/v3/batches/${batch_id}`, /"status":"completed"/)
      await ended(`/v3/v1/messages/batches/${message_batch_id}`, /"processing_status":"ended"/)
      await ended(`/v3/v1beta/${name}`, /"done":true/)
      const watched_batch_id = withDashes(batch_id.replace('batch_', ''))
      return { batch_id, watched_batch_id, message_batch_id, batch: name.replace('batches/', '') }

      async function batchAt(path: string, body: object) {
        const { status, body: batch } = await tasks.post<{ id: string; name: string }>(path, body)
        assert.equal(status, 200, JSON.stringify(batch))
        return batch
      }

      async function ended(path: string, end: RegExp) {
        while (!end.test(JSON.stringify((await tasks.get(path)).body))) await sleep(POLL_MS)
      }
    }

    async function agentSessionOf(name: string): Promise<string> {
      const { body } = await admin('GET', `/admin/agent-sessions?session=${encodeURIComponent(`session of ${name}`)}`)
      return body.items[0].id
    }

    async function deliveryOf(job: string): Promise<string> {
      for (;;) {
        const { body } = await admin('GET', `/admin/deliveries?job_id=${job}`)
        if (body.items.length > 0) return body.items[0].id
        await sleep(POLL_MS)
      }
    }
  })
}

/** In the playground the operator is a caller of their own. */
function isReading({ name }: Attempt): boolean {
  return name.startsWith('GET ') && !name.includes('/playground/')
}

function isList({ method, path, access }: Route): boolean {
  return method === 'GET' && !path.includes('{') && ['key', 'admin'].includes(access)
}

function isAdminPath(path: string): boolean {
  return path.startsWith('/admin/')
}

async function gotOf(url: string, request?: RequestInit): Promise<Got> {
  const answer = await fetch(url, request)
  return { status: answer.status, text: await answer.text() }
}

/** An id of the same form that nothing has. */
function unlike(id: string): string {
  return id.replace(/[0-9a-f]{8}(?=[^0-9a-f]*$)/, () => randomBytes(4).toString('hex'))
}

function unknownThings(things: Things): Things {
  return Object.fromEntries(Object.entries(things).map(([name, id]) => [name, unlike(id)])) as Things
}

/** Answers repeat the ids that they were asked for, and have ids of their own. */
function withoutIds({ status, text }: Got, things: Things): Got {
  const plain = Object.values(things).reduce((rest, id) => rest.replaceAll(id, 'ID'), text)
  return { status, text: plain.replaceAll(/req_[\w-]+/g, 'REQUEST') }
}

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)
