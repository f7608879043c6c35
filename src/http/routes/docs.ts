import type { FastifyReply, FastifyRequest } from 'fastify'
import { PROBLEMS } from '../../contract/problems.ts'
import Type from '../../schema/type.ts'
import { currentBundle } from '../console/bundle.ts'
import { DOCS_PLACEHOLDERS, DOCS_POLICY, isOfDocs } from '../console/docs-shell.ts'
import { ASSET_REPLIES, sendAsset } from '../console/send-asset.ts'
import { html } from '../docs/markup.ts'
import { otherUrl, ownUrl } from '../edge/own-url.ts'
import { sendTextWithEtag, UNCHANGED } from '../cached/etag.ts'
import { route } from '../define-route.ts'
import type { HttpServices } from '../services.ts'

const PAGE = { description: 'The page.', contentType: 'text/html', schema: Type.String() }
const REPLIES = { 200: PAGE, 304: UNCHANGED }

export const docs = route({
  method: 'GET',
  path: '/docs',
  access: 'open',
  summary: 'This page',
  replies: REPLIES,
  handle: async (request, reply, services) => {
    const bundle = await currentBundle().catch(() => undefined)
    if (!bundle) return await sendText(request, reply, services, true)
    return sendHtml(request, reply, filled(bundle.docs, request, services), DOCS_POLICY)
  },
})

export const docsText = route({
  method: 'GET',
  path: '/docs/text',
  access: 'open',
  summary: 'The whole documentation as one page without scripts',
  replies: REPLIES,
  handle: (request, reply, services) => sendText(request, reply, services, false),
})

export const docsAsset = route({
  method: 'GET',
  path: '/docs/assets/{asset}',
  access: 'open',
  summary: 'A script or a style of this page',
  description: 'Its name has a hash of its content, so it may be kept for ever.',
  replies: ASSET_REPLIES,
  handle: (request, reply) => sendAsset(request, reply, isOfDocs),
})

function filled(page: string, request: FastifyRequest, services: HttpServices): string {
  const { base, other, listener } = DOCS_PLACEHOLDERS
  return page
    .replaceAll(base, html`${ownUrl(request, services)}`.html)
    .replace(other, html`${otherUrl(request, services)}`.html)
    .replace(listener, services.listener)
}

/** A checkout that cannot build the page still has its text, and says what to run. */
async function sendText(
  request: FastifyRequest,
  reply: FastifyReply,
  services: HttpServices,
  isUnbuilt: boolean,
): Promise<FastifyReply> {
  const { page, policy } = await textOf(services)
  const { UNBUILT_NOTICE, NOTICE } = await import('../docs/page.ts')
  const text = page.replace(NOTICE, isUnbuilt ? UNBUILT_NOTICE : '')
  return sendHtml(request, reply, text.replaceAll(DOCS_PLACEHOLDERS.base, ownUrl(request, services)), policy)
}

function sendHtml(request: FastifyRequest, reply: FastifyReply, text: string, policy: string): FastifyReply {
  reply.headers({
    'cache-control': 'no-cache',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
  })
  return sendTextWithEtag(request, reply, text, 'text/html; charset=utf-8')
}

type Text = { page: string; policy: string }
const kept = new WeakMap<HttpServices['routes'], Text>()

/** Routes do not change while the program runs, so the text is rendered once, when the first reader asks for it. */
async function textOf({ routes }: HttpServices): Promise<Text> {
  const known = kept.get(routes)
  if (known) return known
  const [{ openapiDocument }, { docsPage }, { DOCS_PAGE_POLICY: policy }] = await Promise.all([
    import('../openapi/document.ts'),
    import('../docs/page.ts'),
    import('../docs/style.ts'),
  ])
  const document = { ...openapiDocument(routes), servers: [{ url: DOCS_PLACEHOLDERS.base }] }
  const text = { page: docsPage(document, PROBLEMS), policy }
  kept.set(routes, text)
  return text
}
