import { freeObject, words } from '../../base/schema/fields.ts'
import Type from '../../base/schema/type.ts'
import { type Compressed, compressible, sendCompressed } from '../cached/compressed.ts'
import { statedUrl } from '../edge/own-url.ts'
import { UNCHANGED } from '../cached/etag.ts'
import { route } from '../define-route.ts'
import type { HttpServices } from '../route.ts'

export default route({
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
  handle: async (request, reply, services) => {
    const { webhooks = 'true' } = request.query
    const document = await documentOf(services, webhooks === 'true')
    reply.header('cache-control', 'no-cache')
    return await sendCompressed(request, reply, document)
  },
})

type CachedDocument = { url: string; document: Promise<Compressed> }
const kept = new WeakMap<HttpServices['routes'], Map<boolean, CachedDocument>>()

/** Routes do not change while the program runs, so a document is written again only after its address has changed. */
async function documentOf(services: HttpServices, webhooks: boolean): Promise<Compressed> {
  const { routes } = services
  const url = statedUrl(services) ?? '/'
  const known = kept.get(routes) ?? new Map<boolean, CachedDocument>()
  kept.set(routes, known)
  if (known.get(webhooks)?.url !== url) known.set(webhooks, { url, document: write(routes, url, webhooks) })
  return await known.get(webhooks)!.document
}

async function write(routes: HttpServices['routes'], url: string, webhooks: boolean): Promise<Compressed> {
  const { openapiDocument } = await import('../openapi/document.ts')
  const document = { ...openapiDocument(routes, { webhooks }), servers: [{ url }] }
  return compressible(Buffer.from(JSON.stringify(document)), 'application/json')
}
