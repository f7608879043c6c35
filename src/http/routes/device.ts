import type { FastifyReply, FastifyRequest } from 'fastify'
import { ErrorBody } from '../../contract/errors.ts'
import Type from '../../base/schema/type.ts'
import type { Config } from '../../platform/config/config.ts'
import { FLOW_COOKIE, GRANT_COOKIE, grantCookie, readCookie } from '../../tenants/sign-in/cookie.ts'
import { FLOW_SECONDS, openFlow } from '../../tenants/sign-in/oidc/flow-state.ts'
import { beginOidc, finishOidc, type SignInRefusal } from '../../tenants/sign-in/oidc/sign-in.ts'
import { escapeHtml } from '../console/page.ts'
import { HTML } from '../console/send-page.ts'
import { route } from '../define-route.ts'
import type { HttpServices } from '../route.ts'
import { agentsAreOn } from './claude/agent-route.ts'
import {
  addressOf,
  cookieOfPage,
  demandOwnOrigin,
  firstPage,
  flowCookieOfPage,
  PAGE,
  pageOrigin,
  personOf,
  sendPage,
  takeStep,
} from './device/page.ts'
import { messagePage } from './device/page-html.ts'
import { consentPath } from './mcp/oauth/consent-path.ts'
import { oidcServices, providerNamed } from './sign-in/oidc.ts'
import { REFUSALS } from './sign-in/result-page.ts'

const PAGE_REPLY = { description: 'The page.', contentType: HTML, schema: Type.String() }
const refusals = (...statuses: number[]) =>
  Object.fromEntries(
    statuses.map((status) => [status, { description: 'The page has the reason.', schema: ErrorBody, texts: [HTML] }]),
  )
/** Programs that use MCP send people here, too. */
const common = { access: 'open' as const, isOn: (config: Config) => agentsAreOn(config) || config.mcp.oauth }

export const show = route({
  ...common,
  method: 'GET',
  path: PAGE,
  summary: 'Open the sign-in page of a coding agent',
  description: 'A person signs in, types the code that the terminal shows, and confirms. The code is never filled in.',
  replies: { 200: PAGE_REPLY, 303: { description: 'To what a program asks for, once the person has signed in.' } },
  handle: async (request, reply, services) =>
    (await goOn(request, reply, services)) ?? sendPage(reply, await firstPage(request, services)),
})

/** A person who was sent here to sign in goes back to the consent. */
async function goOn(request: FastifyRequest, reply: FastifyReply, services: HttpServices) {
  const { config } = services.tenants
  const grant = readCookie(request.headers.cookie, config, { suffix: GRANT_COOKIE, listener: 'api' })
  if (!grant || !(await personOf(request, services))) return undefined
  return reply.header('set-cookie', grantCookie('', 0, config)).redirect(consentPath(grant), 303)
}

export const step = route({
  ...common,
  method: 'POST',
  path: PAGE,
  summary: 'Submit a step of the sign-in page',
  description: 'Forms of the page itself. Those of other pages are refused.',
  isUrlForm: true,
  form: Type.Object(
    {
      step: Type.String({ description: '`sign-in`, `code`, `decide` or `sign-out`.' }),
      email: Type.Optional(Type.String({ description: 'Who signs in.' })),
      password: Type.Optional(Type.String({ description: 'The password.' })),
      code: Type.Optional(Type.String({ description: 'The code of the terminal.' })),
      project: Type.Optional(Type.String({ description: 'The project of the session.' })),
      person: Type.Optional(Type.String({ description: 'The person for whom the page was made.' })),
      decision: Type.Optional(Type.String({ description: '`confirm` or `deny`.' })),
    },
    { title: 'DeviceStep', description: 'What the person has filled in.' },
  ),
  replies: {
    200: PAGE_REPLY,
    303: { description: 'To the next step.' },
    ...refusals(400, 401, 403, 404, 409, 422, 429),
  },
  handle: (request, reply, services) => {
    demandOwnOrigin(request, services)
    return takeStep(request, reply, services)
  },
})

export const begin = route({
  ...common,
  method: 'GET',
  path: '/v3/device/sign-in/{name}',
  summary: 'Sign in with an identity provider',
  description: 'Leads the browser to the provider, which leads it back to `/v3/device/callback`.',
  replies: { 302: { description: 'To the provider.' }, ...refusals(503) },
  handle: async (request, reply, services) => {
    const issuer = providerNamed(request.params.name, services)
    const page = addressOf(request, services)
    const redirectUri = `${page}/callback`
    const begun = await beginOidc(issuer, { redirectUri }, oidcServices(services)).catch(() => undefined)
    if (!begun) return sendPage(reply, refusalPage('unavailable', page), REFUSALS.unavailable.status)
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    reply.header('set-cookie', flowCookieOfPage(begun.cookie, FLOW_SECONDS, services))
    return reply.redirect(begun.url, 302)
  },
})

export const callback = route({
  ...common,
  method: 'GET',
  path: '/v3/device/callback',
  summary: 'Return from an identity provider',
  // A repeated parameter stays repeated, so that it is refused with a page.
  rawQuery: true,
  query: Type.Object({
    code: Type.Optional(Type.String({ description: 'What the gateway exchanges for tokens.' })),
    state: Type.Optional(Type.String({ description: 'The state that the gateway sent.' })),
    iss: Type.Optional(Type.String({ description: 'Who answers.' })),
    error: Type.Optional(Type.String({ description: 'The reason why there is no code.' })),
  }),
  replies: { 200: PAGE_REPLY, ...refusals(400, 401, 403, 429) },
  handle: async (request, reply, services) => {
    const finished = await finish(request, services)
    reply.header('set-cookie', flowCookieOfPage('', 0, services))
    const to = addressOf(request, services)
    if ('refusal' in finished)
      return sendPage(reply, refusalPage(finished.refusal, to), REFUSALS[finished.refusal].status)
    reply.header('set-cookie', cookieOfPage(finished.opened.token, services))
    // Browsers send no Strict cookie with the request that a page of the provider leads to, so a page of ours leads on.
    const next = `<meta http-equiv="refresh" content="0;url=${escapeHtml(to)}">`
    const page = messagePage({ title: 'Signed in', text: 'Type the code now.', link: { to, text: 'Continue' } })
    return sendPage(reply, page.replace('<head>', `<head>\n${next}`))
  },
})

/** One address serves all providers: the flow that the browser brings back says which one it began with. */
async function finish(
  request: FastifyRequest,
  services: HttpServices,
): Promise<Awaited<ReturnType<typeof finishOidc>>> {
  const oidc = oidcServices(services)
  const { config } = services.tenants
  const cookie = readCookie(request.headers.cookie, config, { suffix: FLOW_COOKIE, listener: 'api' })
  const provider = cookie === undefined ? undefined : openFlow(cookie, oidc.secrets, services.tenants.now())?.provider
  const issuer = config.auth.oidc.find(({ name }) => name === provider)
  if (!issuer) return { refusal: 'stale' }
  const at = request.url.indexOf('?')
  const query = new URLSearchParams(at < 0 ? '' : request.url.slice(at + 1))
  return await finishOidc(issuer, { query, cookie, origin: pageOrigin(request) }, oidc)
}

function refusalPage(refusal: SignInRefusal | 'unavailable', to: string): string {
  return messagePage({ title: 'You are not signed in', text: REFUSALS[refusal].text, link: { to, text: 'Try again' } })
}
