import type { FastifyReply, FastifyRequest } from 'fastify'
import { currentBundle } from './bundle.ts'
import { API_URL, CONSOLE_POLICY, escapeHtml, REFUSAL, UNBUILT_PAGE } from './page.ts'

export const HTML = 'text/html'

/** Where the API is, for commands to paste. */
type Links = { links: { base(): string } }

/** `refusal` is what the page says before anything else: why a sign-in was refused. */
export async function sendConsole(reply: FastifyReply, calls: Links, { status = 200, refusal = '' } = {}) {
  const page = await consoleHtml(reply, calls, refusal)
  return reply.code(page ? status : 503).send(page ?? UNBUILT_PAGE)
}

type OnSendDone = (error: Error | null, payload?: unknown) => void

/** A person who opens an address that nothing is at gets the console, which says so. Programs get JSON. */
export function pageForBrowsers(calls: () => Links) {
  // Not an async function: all other answers are written at once, before a broken request can close their connection.
  return (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: OnSendDone) => {
    if (reply.statusCode !== 404 || !isLostBrowser(request)) return done(null, payload)
    consoleHtml(reply, calls(), '').then((page) => done(null, page ?? payload), done)
  }
}

/** The router has found nothing, and what asks wants a page. */
function isLostBrowser({ method, headers, routeOptions }: FastifyRequest): boolean {
  const isNavigation = method === 'GET' && headers.accept?.includes(HTML) === true
  return isNavigation && routeOptions.url === undefined
}

async function consoleHtml(reply: FastifyReply, { links }: Links, refusal: string): Promise<string | undefined> {
  const bundle = await currentBundle().catch(() => undefined)
  reply.headers({ 'content-security-policy': CONSOLE_POLICY, 'referrer-policy': 'no-referrer' })
  reply.type(`${HTML}; charset=utf-8`)
  const apiUrl = escapeHtml(links.base())
  return bundle?.page.replace(API_URL, () => apiUrl).replaceAll(REFUSAL, () => escapeHtml(refusal))
}
