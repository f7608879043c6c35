import { literal } from '../literal.ts'
import { pythonArguments } from './python-arguments.ts'
import { isStreamed, type SampleRequest } from './sample-request.ts'

/**
 * A call of an official SDK. Names are those of its TypeScript package; Python has `_` instead of capitals. `stream`: how a
 * program prints the text of an event. Without it, the program prints events.
 */
type Call = { sdk: 'openai' | 'anthropic' | 'google'; call: string; read: string; stream?: Record<Language, string> }
type Language = 'typescript' | 'python'

const CHAT_STREAM = {
  typescript: `  process.stdout.write(event.choices[0]?.delta.content ?? '')`,
  python: `    if event.choices:\n        print(event.choices[0].delta.content or "", end="", flush=True)`,
}
const MESSAGES_STREAM = {
  typescript: `  if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') process.stdout.write(event.delta.text)`,
  python:
    '    if event.type == "content_block_delta" and event.delta.type == "text_delta":\n' +
    '        print(event.delta.text, end="", flush=True)',
}

const CALLS: Readonly<Record<string, Call>> = {
  'POST /v3/chat/completions': {
    sdk: 'openai',
    call: 'chat.completions.create',
    read: 'choices[0].message.content',
    stream: CHAT_STREAM,
  },
  'POST /v3/completions': { sdk: 'openai', call: 'completions.create', read: 'choices[0].text' },
  'POST /v3/responses': { sdk: 'openai', call: 'responses.create', read: 'output_text' },
  'POST /v3/embeddings': { sdk: 'openai', call: 'embeddings.create', read: 'data[0].embedding' },
  'POST /v3/moderations': { sdk: 'openai', call: 'moderations.create', read: 'results[0]' },
  'POST /v3/images/generations': { sdk: 'openai', call: 'images.generate', read: 'data[0]' },
  'GET /v3/models': { sdk: 'openai', call: 'models.list', read: 'data' },
  'POST /v3/v1/messages': {
    sdk: 'anthropic',
    call: 'messages.create',
    read: 'content[0].text',
    stream: MESSAGES_STREAM,
  },
  'POST /v3/audio/speech': { sdk: 'openai', call: 'audio.speech.create', read: 'status' },
  'POST /v3/v1/messages/count_tokens': { sdk: 'anthropic', call: 'messages.countTokens', read: 'input_tokens' },
  'POST /v3/v1beta/models/{model}:generateContent': { sdk: 'google', call: 'models.generateContent', read: 'text' },
}

const PACKAGES = {
  openai: { typescript: 'openai', python: 'openai' },
  anthropic: { typescript: '@anthropic-ai/sdk', python: 'anthropic' },
  google: { typescript: '@google/genai', python: 'google-genai' },
} as const

/** The package that has a function for this request, or undefined. */
export function sdkPackage({ name }: SampleRequest, language: Language): string | undefined {
  const call = CALLS[name]
  return call && PACKAGES[call.sdk][language]
}

export function sdkTypescript(request: SampleRequest): string {
  const { sdk, call, read, stream } = CALLS[request.name]!
  const base = JSON.stringify(`${request.base}/v3`)
  const made = CLIENTS_TYPESCRIPT[sdk](base, `process.env.${request.key}`)
  const body = bodyOf(request, sdk)
  const asked = `await client.${call}(${body === undefined ? '' : literal(body, 'typescript')})`
  const print = stream?.typescript ?? '  console.log(JSON.stringify(event))'
  if (isStreamed(request)) return `${made}\nconst stream = ${asked}\nfor await (const event of stream) {\n${print}\n}`
  if (request.answer === 'binary')
    return `import { writeFile } from 'node:fs/promises'\n${made}\nconst answer = ${asked}\nawait writeFile('answer.bin', answer.body)`
  return `${made}\nconst answer = ${asked}\nconsole.log(answer.${read})`
}

const CLIENTS_TYPESCRIPT = {
  openai: (base: string, key: string) =>
    `import OpenAI from 'openai'\n\nconst client = new OpenAI({ baseURL: ${base}, apiKey: ${key} })`,
  anthropic: (base: string, key: string) =>
    `import Anthropic from '@anthropic-ai/sdk'\n\nconst client = new Anthropic({ baseURL: ${base}, authToken: ${key}, apiKey: null })`,
  google: (base: string, key: string) =>
    `import { GoogleGenAI } from '@google/genai'\n\nconst client = new GoogleGenAI({ apiKey: ${key}, httpOptions: { baseUrl: ${base} } })`,
}

export function sdkPython(request: SampleRequest): string {
  const { sdk, call, read, stream } = CALLS[request.name]!
  const made = CLIENTS_PYTHON[sdk](JSON.stringify(`${request.base}/v3`), `os.environ["${request.key}"]`)
  const named = call.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const asked = `client.${named}(${argumentLines(pythonArguments(call, bodyOf(request, sdk)))})`
  const print = stream?.python ?? '    print(event)'
  if (isStreamed(request)) return `${made}\nstream = ${asked}\nfor event in stream:\n${print}`
  if (request.answer === 'binary') return `${made}\nanswer = ${asked}\nanswer.write_to_file("answer.bin")`
  return `${made}\nanswer = ${asked}\nprint(answer.${read})`
}

const CLIENTS_PYTHON = {
  openai: (base: string, key: string) =>
    `import os\nfrom openai import OpenAI\n\nclient = OpenAI(base_url=${base}, api_key=${key})`,
  anthropic: (base: string, key: string) =>
    `import os\nfrom anthropic import Anthropic\n\nclient = Anthropic(base_url=${base}, auth_token=${key})`,
  google: (base: string, key: string) =>
    `import os\nfrom google import genai\n\nclient = genai.Client(api_key=${key}, http_options={"base_url": ${base}})`,
}

function argumentLines(fields: Record<string, unknown>): string {
  const lines = Object.entries(fields).map(([name, value]) => `    ${name}=${literal(value, 'python', '    ')},\n`)
  return lines.length === 0 ? '' : `\n${lines.join('')}`
}

/**
 * Google's SDK takes the model of the path, and everything beside the contents as `config`, which has the members of
 * `generationConfig` itself.
 */
function bodyOf({ json, parameters }: SampleRequest, sdk: Call['sdk']): Record<string, unknown> | undefined {
  if (sdk !== 'google') return json as Record<string, unknown> | undefined
  const { contents, generationConfig, ...others } = (json ?? {}) as Record<string, unknown>
  const config = { ...others, ...(generationConfig as object | undefined) }
  return { model: parameters.model, contents, ...(Object.keys(config).length > 0 && { config }) }
}
