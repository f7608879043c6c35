import type { TObject } from '../../base/schema/type.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../base/schema/record.ts'
import { listModels } from '../../calls/routing/models.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { EmbeddingsRequest } from '../../contract/embeddings.ts'
import { ImageGenerationRequest } from '../../contract/images.ts'
import { ModerationsRequest } from '../../contract/moderations.ts'
import { RerankRequest } from '../../contract/cohere/rerank.ts'
import { SpeechRequest, TranscriptionRequest } from '../../contract/audio.ts'
import type { ModelType } from '../../platform/catalog/catalog.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import type { ToolResult } from '../../translation/mcp/tools.ts'
import { type Endpoint, type EndpointAnswer, type OfferedTool, PREFIX, type ToolKit } from './offered-tool.ts'
import { isSimulated } from './task-tools.ts'
import { dataResult, factsOf, failureResult, isFailure, jsonOf, keepFile, outputSchema } from './tool-results.ts'
import { fieldsOf, inputSchema } from './tool-schema.ts'

// Tools for the endpoints of models. Each takes the fields of its endpoint that a model can fill in; a model of the right kind is
// chosen if the arguments name none.

type ModelTool = {
  name: string
  title: string
  description: string
  type: ModelType
  endpoint: Endpoint
  /** Whose fields the arguments are. */
  request: TObject
  fields: readonly string[]
  required: readonly string[]
  /** Arguments that are not fields of the endpoint. */
  more?: Fields
  body?(args: Fields): object
  result?(answer: EndpointAnswer, args: Fields, kit: ToolKit): Promise<ToolResult>
  output?: unknown
}

const INLINE = {
  inline: {
    type: 'boolean',
    description: 'Whether the result contains the bytes too, for clients that show them.',
    default: false,
  },
}
const TEXT = { type: 'string' }

const MODEL_TOOLS: readonly ModelTool[] = [
  {
    name: 'ask_model',
    title: 'Ask a model',
    description: 'Asks another language model and returns its answer. It sees nothing but the prompt.',
    type: 'chat',
    endpoint: 'POST /v3/chat/completions',
    request: ImageGenerationRequest,
    fields: [],
    required: ['prompt'],
    more: {
      prompt: { ...TEXT, minLength: 1, description: 'The question, with all that the model has to know.' },
      system: { ...TEXT, description: 'Instructions for the model.' },
      max_tokens: { type: 'integer', minimum: 1, description: 'The maximum length of the answer, in tokens.' },
    },
    body: askBody,
    result: askResult,
    output: TEXT,
  },
  {
    name: 'generate_image',
    title: 'Generate an image',
    description: 'Draws an image from a description and returns a link to it.',
    type: 'image',
    endpoint: 'POST /v3/images/generations',
    request: ImageGenerationRequest,
    fields: ['prompt', 'n', 'size', 'quality'],
    required: ['prompt'],
    more: INLINE,
    body: ({ inline: _, ...fields }) => ({ ...fields, response_format: 'b64_json' }),
    result: imageResult,
    output: {
      type: 'array',
      items: { type: 'object', description: 'An image: its `url`, `mime_type` and `revised_prompt`.' },
    },
  },
  {
    name: 'speak',
    title: 'Text to speech',
    description: 'Speaks a text and returns a link to the recording.',
    type: 'speech',
    endpoint: 'POST /v3/audio/speech',
    request: SpeechRequest,
    fields: ['input', 'voice', 'response_format', 'speed', 'instructions'],
    required: ['input', 'voice'],
    more: INLINE,
    body: ({ inline: _, ...fields }) => fields,
    result: speechResult,
    output: { type: 'object', description: 'The recording: its `url`, `mime_type` and `bytes`.' },
  },
  {
    name: 'transcribe',
    title: 'Speech to text',
    description: `Transcribes a recording: an upload (${PREFIX}upload_file) or an http(s) URL.`,
    type: 'transcription',
    endpoint: 'POST /v3/audio/transcriptions',
    request: TranscriptionRequest,
    fields: ['file_id', 'file_url', 'language', 'prompt'],
    required: [],
    output: { type: 'object', description: 'The transcript, in `text`.' },
  },
  {
    name: 'embed',
    title: 'Embeddings',
    description: 'Turns texts into vectors. The vectors of a few texts are long.',
    type: 'embedding',
    endpoint: 'POST /v3/embeddings',
    request: EmbeddingsRequest,
    fields: ['dimensions'],
    required: ['input'],
    more: { input: { type: 'array', items: TEXT, minItems: 1, description: 'The texts.' } },
    output: { type: 'object', description: 'A vector for each text, in `data`.' },
  },
  {
    name: 'rerank',
    title: 'Rerank documents',
    description: 'Sorts documents by their relevance to a query.',
    type: 'rerank',
    endpoint: 'POST /v3/rerank',
    request: RerankRequest,
    fields: ['query', 'top_n'],
    required: ['query', 'documents'],
    more: { documents: { type: 'array', items: TEXT, minItems: 1, description: 'The documents.' } },
    output: { type: 'object', description: 'The `index` and the `relevance_score` of each document, in `results`.' },
  },
  {
    name: 'moderate',
    title: 'Moderate a text',
    description: 'Says whether a text is harmful, and how.',
    type: 'moderation',
    endpoint: 'POST /v3/moderations',
    request: ModerationsRequest,
    fields: [],
    required: ['input'],
    more: { input: { ...TEXT, minLength: 1, description: 'The text.' } },
    output: { type: 'object', description: 'The judgements, in `results`.' },
  },
]

const MAX_NAMED = 12

export function modelTools(caller: Caller, services: CallServices): OfferedTool[] {
  const all = listModels(caller, services, { all: false, reported: [] })
  const real = new Set(all.map(({ id }) => id).filter((id) => caller.kind === 'sandbox' || !isSimulated(id, services)))
  return MODEL_TOOLS.flatMap((one) => {
    const ofType = listModels(caller, services, { type: one.type, all: false, reported: [] })
    const models = ofType.map(({ id }) => id).filter((id) => real.has(id))
    return models.length > 0 ? [toolFor(one, models)] : []
  })
}

function toolFor(one: ModelTool, models: readonly string[]): OfferedTool {
  const { name, title, description, endpoint, request, fields, required, more, output } = one
  const [usual] = models
  const others = models.length > MAX_NAMED ? `, … (${PREFIX}list_models has all ${models.length})` : ''
  const about = `The model. Default: ${usual}. Others: ${models.slice(1, MAX_NAMED).join(', ') || 'none'}${others}`
  return {
    tool: {
      name: `${PREFIX}${name}`,
      title,
      description,
      inputSchema: inputSchema(
        { ...fieldsOf(request, fields), ...more, model: { ...TEXT, description: about } },
        required,
      ),
      outputSchema: outputSchema(output),
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    endpoints: [endpoint],
    run: async (args, kit) => {
      const body = one.body?.(args) ?? args
      const answer = await kit.ask({ endpoint, json: { model: usual, ...body } })
      if (isFailure(answer)) return { result: failureResult(answer) }
      return { result: await (one.result ?? plainResult)(answer, args, kit) }
    },
  }
}

/** What is in `_meta` anyway. */
const OF_META: ReadonlySet<string> = new Set(['cost', 'provider', 'model', 'gatehouse', 'id', 'object', 'meta'])

async function plainResult(answer: EndpointAnswer, _args: Fields, kit: ToolKit): Promise<ToolResult> {
  const json = jsonOf(answer)
  const output = Object.fromEntries(Object.entries(json).filter(([name]) => !OF_META.has(name)))
  return await dataResult(output, factsOf(answer, json), kit)
}

function askBody({ prompt, system, ...rest }: Fields): object {
  const messages = [
    ...(system === undefined ? [] : [{ role: 'system', content: system }]),
    { role: 'user', content: prompt },
  ]
  return { ...rest, messages }
}

async function askResult(answer: EndpointAnswer, _args: Fields, kit: ToolKit): Promise<ToolResult> {
  const json = jsonOf(answer)
  const [choice] = recordsIn(json.choices)
  const { content, refusal } = recordOf(choice?.message)
  const text = textOf(content) || textOf(refusal) || '(The model answered with no text.)'
  const result = await dataResult(text, factsOf(answer, json), kit)
  return choice?.finish_reason === 'length'
    ? { ...result, _meta: { ...result._meta, finish_reason: 'length' } }
    : result
}

async function imageResult(answer: EndpointAnswer, { inline }: Fields, kit: ToolKit): Promise<ToolResult> {
  const json = jsonOf(answer)
  const format = textOf(json.output_format) || 'png'
  const mimeType = `image/${format}`
  const images = await Promise.all(
    recordsIn(json.data).map(async ({ b64_json, url, revised_prompt }, index) => {
      const data = textOf(b64_json)
      const bytes = Buffer.from(data, 'base64')
      const link =
        data === '' ? undefined : await keepFile({ name: `image-${index + 1}.${format}`, type: mimeType, bytes }, kit)
      const shown = {
        url: link?.uri ?? (textOf(url) || null),
        mime_type: mimeType,
        revised_prompt: revised_prompt ?? null,
      }
      return { data, link, shown }
    }),
  )
  const result = await dataResult(
    images.map(({ shown }) => shown),
    factsOf(answer, json),
    kit,
  )
  const links = images.flatMap(({ link }) => link ?? [])
  // Without a link, the bytes are all that there is.
  const shown = images.filter(({ data, link }) => data !== '' && (inline === true || !link))
  const blocks = shown.map(({ data }) => ({ type: 'image' as const, data, mimeType }))
  return { ...result, content: [...result.content, ...links, ...blocks] }
}

async function speechResult(
  answer: EndpointAnswer,
  { inline, response_format }: Fields,
  kit: ToolKit,
): Promise<ToolResult> {
  const { body, headers } = answer
  const mimeType = String(headers['content-type'] ?? 'application/octet-stream').split(';', 1)[0]!
  const format = textOf(response_format) || 'mp3'
  const link = await keepFile({ name: `speech.${format}`, type: mimeType, bytes: body }, kit)
  const shown = { url: link?.uri ?? null, mime_type: mimeType, bytes: body.byteLength }
  const result = await dataResult(shown, factsOf(answer), kit)
  const isInline = inline === true || !link
  const audio = { type: 'audio' as const, data: body.toString('base64'), mimeType }
  return { ...result, content: [...result.content, ...(link ? [link] : []), ...(isInline ? [audio] : [])] }
}
