import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  BatchEmbedContentsReply,
  BatchEmbedContentsRequest,
  EmbedContentReply,
  EmbedContentRequest,
} from '../../../../contract/gemini/embed-content.ts'
import { GeminiError } from '../../../../contract/gemini/generate-content.ts'
import { embed } from '../../../../endpoints/embeddings/embeddings.ts'
import { about, ownSettings, toEmbeddings, vectorsOf } from '../../../../translation/formats/gemini/embeddings.ts'
import type { ResolvedModel } from '../../../../calls/routing/names/resolved-model.ts'
import { labelAs, openReply, wholeReply } from '../../../open-reply.ts'
import { route } from '../../../define-route.ts'
import type { HttpServices } from '../../../route.ts'
import { modelIn, modelsOf } from '../model-name.ts'

const common = {
  method: 'POST' as const,
  access: 'key' as const,
  scope: 'universal' as const,
  errors: GeminiError,
}

const FAILURES = {
  422: { description: 'The request is not valid.', schema: GeminiError },
  502: { description: 'The model failed. The message has the reason.', schema: GeminiError },
}

export const one = route({
  ...common,
  path: '/v3/v1beta/models/{model}:embedContent',
  routedAs: '/v3/v1beta/embedContent/:model',
  summary: 'Create an embedding (Gemini)',
  body: EmbedContentRequest,
  replies: { 200: { description: 'The vector.', schema: EmbedContentReply }, ...FAILURES },
  handle: (request, reply, services) => {
    const { open, vectors } = ask(services, request, reply, [request.body.value])
    return wholeReply(open, async () => {
      const found = await vectors()
      return { embedding: vectorsOf(found)[0]!, ...about(found) }
    })
  },
})

export const batch = route({
  ...common,
  path: '/v3/v1beta/models/{model}:batchEmbedContents',
  routedAs: '/v3/v1beta/batchEmbedContents/:model',
  summary: 'Create embeddings (Gemini)',
  body: BatchEmbedContentsRequest,
  replies: { 200: { description: 'The vectors.', schema: BatchEmbedContentsReply }, ...FAILURES },
  handle: (request, reply, services) => {
    const { requests } = request.body.value
    const { open, vectors } = ask(services, request, reply, requests)
    return wholeReply(open, async () => {
      const found = await vectors()
      return { embeddings: vectorsOf(found), ...about(found) }
    })
  },
})

/** Asks for the vectors of these contents. */
function ask(
  services: HttpServices,
  request: FastifyRequest<{ Params: { model: string } }>,
  reply: FastifyReply,
  contents: Contents,
) {
  const model = modelIn(request, services.calls)
  const isGoogles = modelsOf(model, request, services.calls).every(({ provider }) => speaksGemini(provider))
  const body = toEmbeddings(contents, model, isGoogles)
  const open = openReply(request, reply, services, 'universal')
  labelAs(open, { model })
  const dropped = isGoogles ? [] : ownSettings(contents)
  const notes = dropped.map((field) => ({ field, action: 'dropped' as const, reason: 'only Google understands it' }))
  open.call.record.note(notes)
  return { open, vectors: () => embed(body, open.call, services.calls) }
}

type Contents = readonly EmbedContentRequest[]

const WIRES: ReadonlySet<unknown> = new Set(['gemini', 'vertex'])

function speaksGemini({ embeddings, dialect }: ResolvedModel['provider']): boolean {
  return WIRES.has(embeddings ?? dialect)
}
