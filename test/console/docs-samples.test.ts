import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { type Listed, operationsOf } from '../../console/docs/read/document.ts'
import { newDraft } from '../../console/docs/read/draft.ts'
import { curlSample } from '../../console/parts/samples/curl.ts'
import { goSample } from '../../console/parts/samples/go.ts'
import { goModule, sdkGo } from '../../console/parts/samples/sdk-go.ts'
import { javaArtifact, sdkJava } from '../../console/parts/samples/sdk-java.ts'
import { javaSample } from '../../console/parts/samples/java.ts'
import { pythonSample } from '../../console/parts/samples/python.ts'
import { sampleRequest } from '../../console/docs/read/sample-request.ts'
import type { SampleRequest } from '../../console/parts/samples/sample-request.ts'
import { sdkPackage, sdkPython, sdkTypescript } from '../../console/parts/samples/sdk.ts'
import { typescriptSample } from '../../console/parts/samples/typescript.ts'
import { sampleOf as playgroundSample } from '../../console/screens/playground/code/sample-requests.ts'
import { API_ROUTES } from '../../src/http/routes/api-routes.ts'
import { openapiDocument } from '../../src/http/openapi/document.ts'
import { ADMIN_ROUTES } from '../../src/http/routes/admin-routes.ts'
import { sandboxKey } from '../clients/sandbox-key.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../gateway/gateway-under-test.ts'

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

const noGo = spawnSync('gofmt', ['--help']).error ? 'there is no gofmt' : false

test('every program in Go is one, in the format of gofmt', { skip: noGo }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-go-'))
  const texts = all.flatMap((request) => [goSample(request), ...(goModule(request) ? [sdkGo(request)] : [])])
  await Promise.all(texts.map((text, at) => writeFile(join(folder, `${at}.go`), `${text}\n`)))
  const { stdout } = await run('gofmt', ['-d', folder])
  await rm(folder, { recursive: true })
  assert.equal(stdout, '')
})

const noJava = spawnSync('javac', ['--release', '17', '--version']).status === 0 ? false : 'there is no javac 17'

test('every program in Java is one', { skip: noJava }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-java-'))
  // All have the same name, so that a reader can run any of them.
  const files = all.map(async (request, at) => {
    await mkdir(join(folder, `sample${at}`))
    await writeFile(join(folder, `sample${at}`, 'Sample.java'), `package sample${at};\n${javaSample(request)}\n`)
  })
  await Promise.all(files)
  const names = all.map((_, at) => `sample${at}/Sample.java`)
  const { stdout, stderr } = await run('javac', ['--release', '17', '-d', 'out', ...names], { cwd: folder })
  await rm(folder, { recursive: true })
  assert.equal(stdout + stderr, '')
})

test('a program reads the kind of answer that the request asks for', () => {
  const kinds: [string, object, SampleRequest['answer']][] = [
    ['POST /v3/chat/completions', { body: '{"stream":true}' }, 'stream'],
    ['POST /v3/audio/speech', { body: '{"stream_format":"sse"}' }, 'stream'],
    ['POST /v3/audio/speech', {}, 'binary'],
    ['POST /v3/audio/transcriptions', asForm({ stream: 'true' }), 'stream'],
    ['POST /v3/audio/transcriptions', asForm({ response_format: 'srt' }), 'text'],
    ['POST /v3/audio/transcriptions', asForm({ response_format: 'verbose_json' }), 'json'],
    ['POST /v3/v1beta/models/{model}:streamGenerateContent', { parameters: { alt: 'sse' } }, 'stream'],
    ['GET /admin/requests', { parameters: { format: 'jsonl' } }, 'text'],
    ['GET /admin/keys', { parameters: { format: 'csv' } }, 'text'],
    ['GET /admin/keys', {}, 'json'],
    ['POST /v3/images/variations', {}, 'text'],
  ]
  for (const [name, change, kind] of kinds) assert.equal(requestWith(name, change).answer, kind, name)
})

test('a Python SDK gets fields that it may not know in extra_body', () => {
  const chat = requestWith('POST /v3/chat/completions', {
    body: '{"model":"a/b","messages":[],"fallbacks":["c/d"],"with-dash":1}',
  })
  assert.match(
    sdkPython(chat),
    /^ {4}messages=\[\],\n {4}extra_body=\{"fallbacks": \["c\/d"\], "with-dash": 1\},\n\)$/m,
  )
  const messages = requestWith('POST /v3/v1/messages', { body: '{"model":"a/b","max_tokens":1,"temperature":0}' })
  assert.match(sdkPython(messages), /^ {4}max_tokens=1,\n {4}extra_body=\{"temperature": 0\},\n\)$/m)
})

test('the SDKs of Go and Java get what they know by its type, and everything else as it is', () => {
  const chat = requestWith('POST /v3/chat/completions', {
    body: '{"model":"a/b","messages":[{"role":"user","content":"Hi"}],"temperature":0,"fallbacks":["c/d"],"hooks":{"a":[null]}}',
  })
  const go = sdkGo(chat)
  assert.ok(go.includes('\t\tMessages:    []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hi")},\n'), go)
  assert.ok(go.includes('\t\tTemperature: openai.Float(0),\n'), go)
  assert.ok(
    go.includes('SetExtraFields(map[string]any{"fallbacks": []any{"c/d"}, "hooks": map[string]any{"a": []any{nil}}})'),
    go,
  )
  const java = sdkJava(chat)
  assert.ok(java.includes('.addUserMessage("Hi")\n            .temperature(0.0)\n'), java)
  assert.ok(java.includes('.putAdditionalBodyProperty("fallbacks", JsonValue.from(List.of("c/d")))'), java)
  assert.ok(java.includes('.putAdditionalBodyProperty("hooks", JsonValue.from(new ObjectMapper().readTree("""'), java)
})

test('a message that is more than a text reaches the SDKs of Go and Java whole', () => {
  const parts = '{"model":"a/b","messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"stream":true}'
  const chat = requestWith('POST /v3/chat/completions', { body: parts })
  assert.match(sdkGo(chat), /SetExtraFields\(map\[string\]any\{"messages": [\s\S]*Completions\.NewStreaming\(/)
  assert.match(sdkJava(chat), /\.messages\(JsonValue\.from\(new ObjectMapper\(\)[\s\S]*createStreaming\(params\)/)
})

test('a request that no SDK of a language has is printed without one', () => {
  for (const name of ['GET /admin/keys', 'POST /v3/universal-ai', 'POST /v3/v1beta/models/{model}:generateContent'])
    assert.deepEqual(
      [goModule(requestWith(name, {})), javaArtifact(requestWith(name, {}))],
      [undefined, undefined],
      name,
    )
})

test("Google's SDK gets the members of generationConfig in its config", () => {
  const gemini = requestWith('POST /v3/v1beta/models/{model}:generateContent', {
    body: '{"contents":[],"systemInstruction":{},"generationConfig":{"temperature":0}}',
  })
  assert.match(sdkPython(gemini), /^ {4}config=\{"systemInstruction": \{\}, "temperature": 0\},$/m)
  assert.match(sdkTypescript(gemini), /^ {2}config: \{ systemInstruction: \{\}, temperature: 0 \},$/m)
})

function requestWith(name: string, change: object): SampleRequest {
  return requestsOf('http://gate.example', () => change).find((request) => request.name === name)!
}

function asForm(form: Record<string, string>): object {
  return { type: 'multipart/form-data', form }
}

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

  test('the command for speech in the playground keeps the recording in a file, and says if there is none', async () => {
    const body = { model: 'openai/tts-1', input: 'Hello!', voice: 'alloy' }
    const curl = curlSample(playgroundSample('speech', body, gateway.url))
    const key = await sandboxKey(gateway)
    await run('bash', ['-c', curl], { env: { ...env, GATEHOUSE_API_KEY: key }, cwd: folder })
    assert.ok((await stat(join(folder, 'answer.bin'))).size > 0)
    const refused = run('bash', ['-c', curl], { env: { ...env, GATEHOUSE_API_KEY: 'wrong' }, cwd: folder })
    await assert.rejects(refused, /returned error: 401/)
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
    for (const name of sdks.slice(0, 2)) {
      const request = sampleOf(name)
      const asked = { ...request, json: { ...(request.json as object), stream: true } }
      assert.equal(await program(sdkTypescript(asked)), 'Hello!', `${name} as a stream`)
    }
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
