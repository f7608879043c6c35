import { stripTypeScriptTypes } from 'node:module'
import type { SampleRequest } from '../../console/parts/samples/sample-request.ts'
import { LANGUAGES, type Language, plainSample, sdkSample } from '../../console/parts/samples/samples.ts'
import type { ChatBody } from '../../console/screens/playground/chat/chat-body.ts'
import { messagesBody } from '../../console/screens/playground/code/messages-body.ts'
import { type SampleKind, sampleOf } from '../../console/screens/playground/code/sample-requests.ts'

/** A program as a page prints it. */
export type Program = { title: string; language: Language; needsSdk: boolean; text: string }

type Steps = {
  file: string
  write(text: string): string
  command: string
  /** What the programs need beside what is here anyway, and what the ones with an SDK need beside that. */
  needs?: Need
  sdkNeeds?: Need
}
type Need = { install: string; what: string }

const PYTHON = 'requests==2.34.2 openai==3.49.0 anthropic==2.8.0 google-genai==3.1.0'
const GO = 'github.com/openai/openai-go/v3@v3.91.0 github.com/anthropics/anthropic-sdk-go@v1.84.0'
const JAVA = ['com.openai:openai-java:4.95.0', 'com.anthropic:anthropic-java:3.8.0']

/** How a program of each language is run in the folder of that language. Types are removed, because Node keeps them out of packages. */
export const RUN: Readonly<Record<Language, Steps>> = {
  // A script has no terminal. Progress would be shown among the errors.
  curl: { file: 'sample.sh', write: (text) => text.replace(/^curl /, 'curl -sS '), command: 'bash sample.sh' },
  typescript: { file: 'sample.mjs', write: stripTypeScriptTypes, command: `'${process.execPath}' sample.mjs` },
  python: {
    file: 'sample.py',
    write: asPrinted,
    command: 'env/bin/python -B sample.py',
    needs: { install: `python3 -m venv env && env/bin/pip -q install ${PYTHON}`, what: 'Python with its packages' },
  },
  go: {
    file: 'sample.go',
    write: asPrinted,
    command: 'go run sample.go',
    needs: { install: 'go mod init samples', what: 'go' },
    sdkNeeds: { install: `go get ${GO}`, what: 'way to the modules of Go' },
  },
  // Programs of one file run without a compiler from Java 11 on, and the samples have texts of several lines, from Java 15 on.
  java: {
    file: 'Sample.java',
    write: asPrinted,
    command: 'java -cp "$(cat classpath.txt)" Sample.java',
    needs: { install: 'java --source 17 --version && echo . > classpath.txt', what: 'java 17 or newer' },
    sdkNeeds: {
      install: `echo '${pomOf(JAVA)}' > pom.xml && mvn -q dependency:build-classpath -Dmdep.outputFile=classpath.txt`,
      what: 'mvn, or no way to Maven Central',
    },
  },
}

function asPrinted(text: string): string {
  return text
}

function pomOf(artifacts: readonly string[]): string {
  const dependencies = artifacts.map((name) => {
    const [group, artifact, version] = name.split(':')
    return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`
  })
  const own = '<groupId>example</groupId><artifactId>samples</artifactId><version>1</version>'
  return `<project><modelVersion>4.0.0</modelVersion>${own}<dependencies>${dependencies.join('')}</dependencies></project>`
}

/** What `/docs` prints for a request. */
export function programsOf(title: string, request: SampleRequest): Program[] {
  return (Object.keys(LANGUAGES) as Language[]).flatMap((language) => {
    const plain = { title, language, needsSdk: false, text: plainSample(request, language) }
    const official = sdkSample(request, language)
    if (!official) return [plain]
    return [plain, { title: `${title} with ${official.sdk}`, language, needsSdk: true, text: official.text }]
  })
}

const CHAT: ChatBody = {
  model: 'sandbox/echo',
  messages: [{ role: 'user', content: "It's a door." }],
  temperature: 0,
  stream: true,
  stream_options: { include_usage: true },
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
