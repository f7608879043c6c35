import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { type Listed, operationsOf } from '../../console/docs/read/document.ts'
import { newDraft } from '../../console/docs/read/draft.ts'
import { curlSample } from '../../console/docs/samples/curl.ts'
import { pythonSample } from '../../console/docs/samples/python.ts'
import { type SampleRequest, sampleRequest } from '../../console/docs/samples/sample-request.ts'
import { sdkPackage, sdkPython, sdkTypescript } from '../../console/docs/samples/sdk.ts'
import { typescriptSample } from '../../console/docs/samples/typescript.ts'
import { API_ROUTES } from '../../src/http/app.ts'
import { openapiDocument } from '../../src/http/openapi/document.ts'
import { ADMIN_ROUTES } from '../../src/http/routes/admin-routes.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../e2e/gateway-under-test.ts'

// The programs that readers paste, of every operation.

const run = promisify(execFile)
const documents = { api: openapiDocument(API_ROUTES), admin: openapiDocument(ADMIN_ROUTES) }
/** What a shell, Python and JavaScript would each stumble over. */
const AWKWARD = `it's "quoted" \\ $HOME \`id\` %s {x} \${y}\nnext </script> 🙂`

function requestsOf(base: string, change: (listed: Listed) => object = () => ({})): SampleRequest[] {
  return (['api', 'admin'] as const).flatMap((name) => {
    const document = documents[name]
    const context = { document, base, isAdmin: name === 'admin' }
    const listed = operationsOf(document).filter(({ isWebhook }) => !isWebhook)
    return listed.map((one) => sampleRequest(one, { ...newDraft(one, document), ...change(one) }, context))
  })
}

/** With a body that has everything awkward, where there is a body. */
function awkward({ operation }: Listed): object {
  const json = operation.requestBody?.content['application/json']
  return json ? { body: JSON.stringify({ [AWKWARD]: AWKWARD, list: [true, false, null, 1.5, { a: [] }] }) } : {}
}

function hasAwkwardName({ json }: SampleRequest): boolean {
  return Object.hasOwn((json ?? {}) as object, AWKWARD)
}

const all = [...requestsOf('http://gate.example'), ...requestsOf('http://gate.example', awkward)]

test('every operation has samples, and none has a key', () => {
  assert.ok(all.length > 300)
  for (const request of all) assert.match(request.url, /^http:\/\/gate\.example\/[^{}]*$/, request.name)
})

test('a shell can read every command', async () => {
  const { stdout } = await run('bash', [
    '-c',
    all.map((request) => `set -- ${curlSample(request)}\necho "$1"`).join('\n'),
  ])
  assert.equal(stdout, 'curl\n'.repeat(all.length))
})

test('a shell reads an awkward body as it is', async () => {
  const [request] = requestsOf('http://gate.example', awkward)
  const { stdout } = await run('bash', ['-c', `set -- ${curlSample(request!)}\nprintf %s "\${@: -1}"`])
  assert.equal((JSON.parse(stdout) as Record<string, unknown>)[AWKWARD], AWKWARD)
})

test('every program in TypeScript is one', () => {
  for (const request of all) {
    const texts = [typescriptSample(request), ...(sdkPackage(request, 'typescript') ? [sdkTypescript(request)] : [])]
    for (const text of texts) assert.doesNotThrow(() => stripTypeScriptTypes(text), `${request.name}\n${text}`)
  }
})

const noPython = spawnSync('python3', ['--version']).status === 0 ? false : 'there is no python3'

test('every program in Python is one', { skip: noPython }, async () => {
  const texts = all.flatMap((request) => [
    pythonSample(request),
    // Names of fields are names of arguments there.
    ...(sdkPackage(request, 'python') && !hasAwkwardName(request) ? [sdkPython(request)] : []),
  ])
  const parse = `import ast, json, sys\nfor text in json.load(sys.stdin): ast.parse(text)\nprint("read")`
  const python = run('python3', ['-c', parse])
  python.child.stdin!.end(JSON.stringify(texts))
  assert.equal((await python).stdout.trim(), 'read')
})

describe('samples that are run', () => {
  let gateway: GatewayUnderTest
  let folder: string
  const env = { ...process.env, GATEHOUSE_API_KEY: API_KEY }
  before(async () => {
    gateway = await startGateway()
    // Inside of the project, so that the SDKs are found.
    folder = await mkdtemp(join(import.meta.dirname, '..', '..', 'node_modules', '.docs-samples-'))
    await writeFile(join(folder, 'file.bin'), 'Hello, file!')
  })
  after(async () => {
    await rm(folder, { recursive: true })
    await gateway.close()
  })

  test('the commands of a chat, of an upload and of a list answer', async () => {
    const shell = async (name: string) =>
      (await run('bash', ['-c', curlSample(sampleOf(name))], { env, cwd: folder })).stdout
    assert.equal(JSON.parse(await shell('POST /v3/chat/completions')).choices[0].message.content, 'Hello!')
    assert.match(JSON.parse(await shell('POST /v3/upload')).file_id, /^[0-9a-f-]{36}$/)
    assert.ok(JSON.parse(await shell('GET /v3/models')).data.length > 0)
  })

  test('the programs of a chat answer, with fetch and with the SDKs', async () => {
    const sdks = ['POST /v3/chat/completions', 'POST /v3/v1/messages', 'POST /v3/responses']
    const google = 'POST /v3/v1beta/models/{model}:generateContent'
    for (const name of [...sdks, google])
      assert.equal((await program(sdkTypescript(sampleOf(name)))).trim(), 'Hello!', name)
    const plain = async (name: string) => JSON.parse(await program(typescriptSample(sampleOf(name))))
    assert.equal((await plain('POST /v3/chat/completions')).choices[0].message.content, 'Hello!')
    assert.match((await plain('POST /v3/upload')).file_id, /^[0-9a-f-]{36}$/)
    const streamed = { ...sampleOf('POST /v3/chat/completions'), answer: 'stream' as const }
    const json = { ...(streamed.json as object), stream: true }
    assert.match(await program(typescriptSample({ ...streamed, json })), /data: \[DONE\]/)
  })

  function sampleOf(name: string): SampleRequest {
    return requestsOf(gateway.url).find((request) => request.name === name)!
  }

  async function program(text: string): Promise<string> {
    const file = join(folder, 'sample.mjs')
    await writeFile(file, stripTypeScriptTypes(text))
    return (await run(process.execPath, [file], { env, cwd: folder })).stdout
  }
})
