import { freeObject } from '../../base/schema/fields.ts'
import { type Compressed, compressible, sendCompressed } from '../cached/compressed.ts'
import { statedUrl } from '../edge/own-url.ts'
import { UNCHANGED } from '../cached/etag.ts'
import { route } from '../define-route.ts'
import type { HttpServices } from '../route.ts'

export default route({
  method: 'GET',
  path: '/openapi.json',
  access: 'open',
  summary: 'Get the OpenAPI document',
  description: 'OpenAPI 3.1, for tools that generate clients or check requests.',
  replies: { 200: { description: 'The document.', schema: freeObject() }, 304: UNCHANGED },
  handle: async (request, reply, services) => {
    const document = await documentOf(services)
    reply.header('cache-control', 'no-cache')
    return await sendCompressed(request, reply, document)
  },
})

type CachedDocument = { url: string; document: Promise<Compressed> }
const documents = new WeakMap<HttpServices['routes'], CachedDocument>()

/** Routes do not change while the program runs, so a document is written again only after its address has changed. */
async function documentOf(services: HttpServices): Promise<Compressed> {
  const { routes } = services
  const url = statedUrl(services) ?? '/'
  const cached = documents.get(routes)
  if (cached?.url === url) return await cached.document
  const document = write(routes, url)
  documents.set(routes, { url, document })
  return await document
}

async function write(routes: HttpServices['routes'], url: string): Promise<Compressed> {
  const { openapiDocument } = await import('../openapi/document.ts')
  const document = { ...openapiDocument(routes), servers: [{ url }] }
  return compressible(Buffer.from(JSON.stringify(document)), 'application/json')
}
