import type { FastifyReply, FastifyRequest } from 'fastify'
import { freeObject, words } from '../../schema/fields.ts'
import Type from '../../schema/type.ts'
import { PROBLEMS } from '../../contract/problems.ts'
import { ownUrl, statedUrl } from '../edge/own-url.ts'
import { sendTextWithEtag, UNCHANGED } from '../etag.ts'
import { readWord } from '../query.ts'
import type { HttpServices, Route } from '../services.ts'

export const openapi: Route = {
  method: 'GET',
  path: '/openapi.json',
  access: 'open',
  summary: 'This API as an OpenAPI document',
  description: 'OpenAPI 3.1, for tools that generate clients or check requests.',
  query: Type.Object({
    webhooks: Type.Optional(
      words(['true', 'false'], {
        default: 'true',
        description: '`false` omits the section `webhooks`, which some generators cannot read.',
      }),
    ),
  }),
  replies: { 200: { description: 'The document.', schema: freeObject() }, 304: UNCHANGED },
  handle: async (request: FastifyRequest, reply: FastifyReply, services: HttpServices) => {
    const { webhooks } = request.query as { webhooks?: string }
    const hasWebhooks = readWord('webhooks', webhooks, ['true', 'false'], 'true') === 'true'
    const { document, withoutWebhooks } = await textsOf(services)
    reply.header('cache-control', 'no-cache')
    const text = (hasWebhooks ? document : withoutWebhooks).replace(BASE, statedUrl(services) ?? '/')
    return sendTextWithEtag(request, reply, text, 'application/json')
  },
}

export const docs: Route = {
  method: 'GET',
  path: '/docs',
  access: 'open',
  summary: 'This page',
  replies: { 200: { description: 'The page.', contentType: 'text/html', schema: Type.String() }, 304: UNCHANGED },
  handle: async (request: FastifyRequest, reply: FastifyReply, services: HttpServices) => {
    const { page, policy } = await textsOf(services)
    reply.headers({
      'cache-control': 'no-cache',
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
    })
    const text = page.replaceAll(BASE, ownUrl(request, services))
    return sendTextWithEtag(request, reply, text, 'text/html; charset=utf-8')
  },
}

/** A placeholder in the cached texts for the address of the gateway. */
const BASE = '{base_url}'

type Texts = { document: string; withoutWebhooks: string; page: string; policy: string }
const kept = new WeakMap<HttpServices['routes'], Texts>()

/** Routes do not change while the program runs, so both texts are rendered once, when the first reader asks for them. */
async function textsOf({ routes }: HttpServices): Promise<Texts> {
  const known = kept.get(routes)
  if (known) return known
  const [{ openapiDocument }, { docsPage }, { DOCS_PAGE_POLICY: policy }] = await Promise.all([
    import('../openapi/document.ts'),
    import('../docs/page.ts'),
    import('../docs/style.ts'),
  ])
  const servers = [{ url: BASE }]
  const document = { ...openapiDocument(routes), servers }
  const withoutWebhooks = JSON.stringify({ ...openapiDocument(routes, { webhooks: false }), servers })
  const texts = { document: JSON.stringify(document), withoutWebhooks, page: docsPage(document, PROBLEMS), policy }
  kept.set(routes, texts)
  return texts
}
