import type { Content, OpenApiDocument, Operation } from '../../contract/openapi/document.ts'

// Programs that readers can paste. All of them send the document's example.

const API_PREFIX = '/v3'

export function baseUrl({ servers }: OpenApiDocument): string {
  return (servers[0]?.url ?? '').replace(/\/$/, '') + API_PREFIX
}

export function chatOperation({ paths }: OpenApiDocument): Operation | undefined {
  return paths[`${API_PREFIX}/chat/completions`]?.post
}

export function curlSample(document: OpenApiDocument): string {
  return curl(document, chatExample(document))
}

export function streamedCurlSample(document: OpenApiDocument): string {
  return curl(document, { ...chatExample(document), stream: true }, '-N ')
}

export function javascriptSample(document: OpenApiDocument): string {
  return `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: '${baseUrl(document)}',
  apiKey: process.env.GATEHOUSE_API_KEY,
})
const reply = await client.chat.completions.create({
${fieldLines(chatExample(document), (name, value) => `  ${name}: ${value},`)}
})
console.log(reply.choices[0].message.content)`
}

export function pythonSample(document: OpenApiDocument): string {
  return `import os
from openai import OpenAI

client = OpenAI(
    base_url="${baseUrl(document)}",
    api_key=os.environ["GATEHOUSE_API_KEY"],
)
reply = client.chat.completions.create(
${fieldLines(chatExample(document), (name, value) => `    ${name}=${value},`)}
)
print(reply.choices[0].message.content)`
}

/** The first example, or an empty object if there is none. */
export function exampleOf(content: Content = {}): object {
  const example = Object.values(content).find(({ example }) => example !== undefined)?.example
  return typeof example === 'object' && example !== null ? example : {}
}

function chatExample(document: OpenApiDocument): object {
  return exampleOf(chatOperation(document)?.requestBody?.content)
}

function curl(document: OpenApiDocument, body: object, flags = ''): string {
  const fields = fieldLines(body, (name, value) => `    ${JSON.stringify(name)}: ${value}`, ',\n')
  const json = `{\n${fields}\n  }`.replaceAll("'", "'\\''")
  return `curl ${flags}${baseUrl(document)}/chat/completions \\
  -H "Authorization: Bearer $GATEHOUSE_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${json}'`
}

function fieldLines(body: object, line: (name: string, value: string) => string, separator = '\n'): string {
  return Object.entries(body)
    .map(([name, value]) => line(name, onOneLine(value)))
    .join(separator)
}

/** JSON with a space after each comma and colon. A JSON string contains no line break, so none is lost. */
function onOneLine(value: unknown): string {
  const lines = JSON.stringify(value, null, 1)
  return lines
    .replace(/([[{])\n\s*/g, '$1')
    .replace(/\n\s*([\]}])/g, '$1')
    .replace(/\n\s*/g, ' ')
}
