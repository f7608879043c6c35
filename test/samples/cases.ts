import { type Listed, operationsOf } from '../../console/docs/read/document.ts'
import { type Draft, newDraft } from '../../console/docs/read/draft.ts'
import { sampleRequest } from '../../console/docs/read/sample-request.ts'
import type { SampleRequest } from '../../console/parts/samples/sample-request.ts'
import type { OpenApiDocument } from '../../src/contract/openapi/document.ts'

/** A request for which `/docs` prints programs, and what tells it from other requests of the same operation. */
type Case = { title: string; request: SampleRequest }

type Listener = { document: OpenApiDocument; base: string; isAdmin: boolean }

/** An endless stream. */
const NEVER_ENDS = 'GET /admin/requests/live'

/** What readers write into the form, beside what it begins with. */
const CHANGES: Readonly<Record<string, readonly Change[]>> = {
  'POST /v3/chat/completions': [json({ stream: true }), json({ temperature: 0, fallbacks: ['sandbox/echo'] })],
  'POST /v3/completions': [json({ stream: true })],
  'POST /v3/v1/messages': [json({ stream: true }), json({ temperature: 0, fallbacks: ['sandbox/echo'] })],
  'POST /v3/v1/messages/count_tokens': [json({ temperature: 0 })],
  'POST /v3/responses': [json({ stream: true }), json({ fallbacks: ['sandbox/echo'] })],
  'POST /v3/embeddings': [json({ tags: ['search'] })],
  'POST /v3/v1beta/models/{model}:generateContent': [json({ generationConfig: { temperature: 0 } })],
  'POST /v3/v1beta/models/{model}:streamGenerateContent': [query({ alt: 'sse' })],
  'POST /v3/v2/chat': [json({ stream: true })],
  'POST /v3/audio/transcriptions': [form({ response_format: 'srt' }), form({ stream: 'true' })],
  'POST /v3/audio/translations': [form({ response_format: 'text' })],
  'GET /admin/keys': [query({ format: 'csv' })],
  'GET /admin/requests': [query({ format: 'jsonl' })],
}

type Change = { title: string; of: (draft: Draft) => Draft }

/** Requests that change nothing of the installation: all of the API, and those of the admin API that only read. */
export function casesOf(listener: Listener): Case[] {
  const { document, isAdmin } = listener
  const listed = operationsOf(document).filter(({ isWebhook, method }) => !isWebhook && (!isAdmin || method === 'GET'))
  return listed.filter((one) => nameOf(one) !== NEVER_ENDS).flatMap((one) => casesOfOperation(one, listener))
}

function casesOfOperation(listed: Listed, listener: Listener): Case[] {
  const draft = newDraft(listed, listener.document)
  const types = Object.keys(listed.operation.requestBody?.content ?? {})
  const others = types.slice(1).map((type): Change => ({ title: ` as ${type}`, of: (begun) => ({ ...begun, type }) }))
  const changes = [{ title: '', of: () => draft }, ...others, ...(CHANGES[nameOf(listed)] ?? [])]
  return changes.map(({ title, of }) => ({
    title: nameOf(listed) + title,
    request: sampleRequest(listed, of(draft), listener),
  }))
}

function nameOf({ method, path }: Listed): string {
  return `${method} ${path}`
}

function json(fields: object): Change {
  return {
    title: ` with ${JSON.stringify(fields)}`,
    of: (draft) => ({ ...draft, body: JSON.stringify({ ...JSON.parse(draft.body), ...fields }) }),
  }
}

function query(parameters: Record<string, string>): Change {
  return {
    title: ` with ${JSON.stringify(parameters)} in the query`,
    of: (draft) => ({ ...draft, parameters: { ...draft.parameters, ...parameters } }),
  }
}

function form(fields: Record<string, string>): Change {
  return {
    title: ` as a form with ${JSON.stringify(fields)}`,
    of: (draft) => ({ ...draft, type: 'multipart/form-data', form: { ...draft.form, ...fields } }),
  }
}
