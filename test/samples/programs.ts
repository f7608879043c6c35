import { stripTypeScriptTypes } from 'node:module'
import { curlSample } from '../../console/parts/samples/curl.ts'
import { goSample } from '../../console/parts/samples/go.ts'
import { javaSample } from '../../console/parts/samples/java.ts'
import { pythonSample } from '../../console/parts/samples/python.ts'
import type { SampleRequest } from '../../console/parts/samples/sample-request.ts'
import { sdkPackage, sdkPython, sdkTypescript } from '../../console/parts/samples/sdk.ts'
import { typescriptSample } from '../../console/parts/samples/typescript.ts'
import { messagesBody } from '../../console/screens/playground/code/messages-body.ts'
import { type SampleKind, sampleOf } from '../../console/screens/playground/code/sample-requests.ts'
import type { ChatBody } from '../../console/screens/playground/chat/chat-body.ts'

/** A program as a page prints it, and the file in which it is run. */
export type Program = { title: string; language: Language; text: string }

export type Language = 'curl' | 'TypeScript' | 'Python' | 'Go' | 'Java'

/** How a file of each language is run in the folder of the programs. Types are removed, because Node keeps them out of packages. */
export const RUN: Readonly<Record<Language, { file: string; write: (text: string) => string; command: string }>> = {
  // A script has no terminal. Progress would be shown among the errors.
  curl: { file: 'sample.sh', write: (text) => text.replace(/^curl /, 'curl -sS '), command: 'bash sample.sh' },
  TypeScript: { file: 'sample.mjs', write: stripTypeScriptTypes, command: `'${process.execPath}' sample.mjs` },
  Python: { file: 'sample.py', write: (text) => text, command: 'env/bin/python -B sample.py' },
  Go: { file: 'sample.go', write: (text) => text, command: 'go run sample.go' },
  Java: { file: 'Sample.java', write: (text) => text, command: 'java Sample.java' },
}

/** What `/docs` prints for a request. */
export function programsOf(title: string, request: SampleRequest): Program[] {
  const own = {
    ...{ curl: curlSample(request), TypeScript: typescriptSample(request), Python: pythonSample(request) },
    ...{ Go: goSample(request), Java: javaSample(request) },
  }
  if (!sdkPackage(request, 'python')) return named(title, own)
  const withSdk = { TypeScript: sdkTypescript(request), Python: sdkPython(request) }
  return [...named(title, own), ...named(`${title} with its SDK`, withSdk)]
}

const CHAT: ChatBody = {
  model: 'sandbox/echo',
  messages: [{ role: 'user', content: "It's a door." }],
  ...{ temperature: 0, stream: true, stream_options: { include_usage: true } },
}

/** What the playground prints, by what it can do. */
const PLAYGROUND: Readonly<Record<SampleKind, object>> = {
  chat: CHAT,
  messages: messagesBody(CHAT),
  image: { model: 'sandbox/image', prompt: 'A door', n: 1, response_format: 'b64_json' },
  speech: { model: 'openai/tts-1', input: 'Hello!', voice: 'alloy', response_format: 'mp3' },
  task: { model: 'text/moderation/sandbox', input: { text: 'Hello!' } },
  job: { model: 'text/moderation/sandbox', input: { text: 'Hello!' } },
}

export function playgroundPrograms(base: string): Program[] {
  return Object.entries(PLAYGROUND).flatMap(([kind, body]) =>
    programsOf(`the playground: ${kind}`, sampleOf(kind as SampleKind, body, base)),
  )
}

function named(title: string, texts: Record<string, string>): Program[] {
  return Object.entries(texts).map(([language, text]) => ({ title, language: language as Language, text }))
}
