import type { Operation } from '../../../src/contract/openapi/document.ts'
import type { SampleRequest } from '../../parts/samples/sample-request.ts'
import type { Listed, OpenApiDocument } from './document.ts'
import { type Draft, formSchema, headersOf, isFile, JSON_TYPE, pathOf } from './draft.ts'
import { fieldsOf } from './fields.ts'

type SampleContext = { document: OpenApiDocument; base: string; isAdmin: boolean }

export function sampleRequest(listed: Listed, draft: Draft, { document, base, isAdmin }: SampleContext): SampleRequest {
  const { method, path, operation } = listed
  const body = bodyOf(listed, draft, document)
  return {
    method,
    name: `${method} ${path}`,
    base,
    url: base + pathOf(listed, draft),
    ...body,
    key: needsKey(operation) ? (isAdmin ? 'GATEHOUSE_ADMIN_KEY' : 'GATEHOUSE_API_KEY') : undefined,
    headers: headersOf(listed, draft),
    answer: answerKind(operation, chosenIn(draft, body)),
    parameters: draft.parameters,
  }
}

export function needsKey({ security = [] }: Operation): boolean {
  return security.length > 0
}

function bodyOf(listed: Listed, draft: Draft, document: OpenApiDocument): Pick<SampleRequest, 'json' | 'form'> {
  const { type } = draft
  if (type === undefined) return {}
  if (type === JSON_TYPE) return { json: parsed(draft.body) ?? exampleOf(listed) }
  const fields = fieldsOf(formSchema(listed, type), document)
  const files = fields.filter(({ schema, isRequired }) => isFile(schema) && isRequired)
  return {
    form: {
      type,
      fields: Object.entries(draft.form).filter(([, value]) => value !== ''),
      files: files.flatMap(({ name }) => fileNames(name, draft).map((file): [string, string] => [name, file])),
    },
  }
}

/** While a body is being written, it is not always JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function exampleOf({ operation }: Listed): unknown {
  return operation.requestBody?.content[JSON_TYPE]?.example ?? {}
}

function fileNames(name: string, { files }: Draft): string[] {
  const chosen = (files[name] ?? []).map((file) => file.name.replace(/[^\w.-]/g, '_'))
  return chosen.length > 0 ? chosen : [name === 'image' ? 'image.png' : 'file.bin']
}

/** What the request says about its answer, wherever it says so. */
type Chosen = Readonly<Record<string, unknown>>

function chosenIn({ parameters }: Draft, { json, form }: Pick<SampleRequest, 'json' | 'form'>): Chosen {
  return { ...parameters, ...Object.fromEntries(form?.fields ?? []), ...(json as object | undefined) }
}

/** What comes back decides how a program reads it. */
function answerKind({ responses }: Operation, chosen: Chosen): SampleRequest['answer'] {
  const good = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  // An operation that has no good answer explains itself in the others.
  if (!good) return 'text'
  const types = Object.keys(('content' in good && good.content) || {})
  if (types[0] === undefined) return 'empty'
  if (types.includes('text/event-stream') && (isStreamChosen(chosen) || types.length === 1)) return 'stream'
  if (types[0].includes('json')) return types.length > 1 && isTextChosen(chosen) ? 'text' : 'json'
  return types[0].startsWith('text/') || types[0].includes('pem') ? 'text' : 'binary'
}

function isStreamChosen({ stream, alt, stream_format: format }: Chosen): boolean {
  return String(stream) === 'true' || alt === 'sse' || format === 'sse'
}

/** Tables of the admin API, and transcripts. */
function isTextChosen({ format, response_format: transcript }: Chosen): boolean {
  return ['csv', 'jsonl'].includes(String(format)) || ['text', 'srt', 'vtt'].includes(String(transcript))
}
