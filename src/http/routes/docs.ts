import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from '../../base/schema/type.ts'
import { currentBundle } from '../console/bundle.ts'
import { DOCS_PLACEHOLDERS, DOCS_POLICY, isOfDocs, UNBUILT_DOCS } from '../console/docs-shell.ts'
import { escapeHtml } from '../console/page.ts'
import { ASSET_REPLIES, sendAsset } from '../console/send-asset.ts'
import { otherUrl, ownUrl } from '../edge/own-url.ts'
import { sendTextWithEtag, UNCHANGED } from '../cached/etag.ts'
import { route } from '../define-route.ts'
import type { HttpServices } from '../route.ts'

const PAGE = { description: 'The page.', contentType: 'text/html', schema: Type.String() }

export const docs = route({
  method: 'GET',
  path: '/docs',
  access: 'open',
  summary: 'Open the documentation',
  replies: { 200: PAGE, 304: UNCHANGED },
  handle: async (request, reply, services) => {
    const bundle = await currentBundle().catch(() => undefined)
    reply.headers({ 'content-security-policy': DOCS_POLICY, 'referrer-policy': 'no-referrer' })
    return sendKept(request, reply, filled(bundle?.docs ?? UNBUILT_DOCS, request, services), 'text/html')
  },
})

export const docsText = route({
  method: 'GET',
  path: '/docs/text',
  access: 'open',
  summary: 'Get the documentation as text',
  description: 'Markdown, with the same content as the page: for programs, and for readers without scripts.',
  replies: { 200: { description: 'The text.', contentType: 'text/plain', schema: Type.String() }, 304: UNCHANGED },
  handle: async (request, reply, services) => {
    const text = await textOf(services)
    return sendKept(request, reply, text.replaceAll(DOCS_PLACEHOLDERS.base, ownUrl(request, services)), 'text/plain')
  },
})

export const docsAsset = route({
  method: 'GET',
  path: '/docs/assets/{asset}',
  access: 'open',
  summary: 'Get a script or style of the documentation',
  description: 'Its name has a hash of its content, so it may be kept for ever.',
  replies: ASSET_REPLIES,
  handle: (request, reply) => sendAsset(request, reply, isOfDocs),
})

function filled(page: string, request: FastifyRequest, services: HttpServices): string {
  const { base, other, listener } = DOCS_PLACEHOLDERS
  return page
    .replaceAll(base, escapeHtml(ownUrl(request, services)))
    .replace(other, escapeHtml(otherUrl(request, services) ?? ''))
    .replace(listener, services.listener)
}

function sendKept(request: FastifyRequest, reply: FastifyReply, text: string, type: string): FastifyReply {
  reply.header('cache-control', 'no-cache')
  return sendTextWithEtag(request, reply, text, `${type}; charset=utf-8`)
}

const texts = new WeakMap<HttpServices['routes'], string>()

/** Routes do not change while the program runs, so the text is written once, when the first reader asks for it. */
async function textOf({ routes }: HttpServices): Promise<string> {
  const cached = texts.get(routes)
  if (cached !== undefined) return cached
  const [{ openapiDocument }, { docsText: write }] = await Promise.all([
    import('../openapi/document.ts'),
    import('../docs/docs-text.ts'),
  ])
  const text = write({ ...openapiDocument(routes), servers: [{ url: DOCS_PLACEHOLDERS.base }] })
  texts.set(routes, text)
  return text
}
