import type { FastifyRequest } from 'fastify'
import type { OidcIssuer } from '../../../platform/config/auth/auth.ts'
import { problem } from '../../../contract/problems.ts'
import { flowCookie } from '../../../tenants/sign-in/cookie.ts'
import { FLOW_SECONDS } from '../../../tenants/sign-in/oidc/flow-state.ts'
import { beginOidc, type OidcServices } from '../../../tenants/sign-in/oidc/sign-in.ts'
import { ownUrl } from '../../edge/own-url.ts'
import Type from '../../../base/schema/type.ts'
import { route } from '../../define-route.ts'
import type { HttpServices } from '../../route.ts'
import { REFUSAL_REPLIES, sendRefusal } from './result-page.ts'

const begin = route({
  method: 'GET',
  path: '/sign-in/oidc/{name}',
  access: 'open',
  summary: 'Sign in with an identity provider',
  description: 'Leads the browser to the provider, which leads it back to the callback.',
  query: Type.Object({
    choose_account: Type.Optional(
      Type.Boolean({ description: 'The provider asks which account to use, also if it knows one of this browser.' }),
    ),
  }),
  replies: { 302: { description: 'To the provider.' }, 503: REFUSAL_REPLIES[503]! },
  handle: async (request, reply, services) => {
    const issuer = providerNamed(request.params.name, services)
    const choosesAccount = request.query.choose_account ?? false
    const redirectUri = callbackOf(issuer, request, services)
    const begun = await beginOidc(issuer, { redirectUri, choosesAccount }, oidcServices(services)).catch(
      () => undefined,
    )
    if (!begun) return sendRefusal(reply, 'unavailable', services)
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    reply.header('set-cookie', flowCookie(begun.cookie, FLOW_SECONDS, services.tenants.config))
    return reply.redirect(begun.url, 302)
  },
})
export default begin

/** Where the provider leads the browser back. */
export function callbackOf({ name }: OidcIssuer, request: FastifyRequest, services: HttpServices): string {
  return `${ownUrl(request, services)}/sign-in/oidc/${name}/callback`
}

/** The provider of this name in the config file. */
export function providerNamed(name: string, services: HttpServices): OidcIssuer {
  const found = services.tenants.config.auth.oidc.find((one) => one.name === name)
  if (!found) throw problem('not_found', { message: 'There is no such provider.' })
  return found
}

export function oidcServices(services: HttpServices): OidcServices {
  const { db, now, newId, keyCache, oidcClients: clients } = services.tenants
  const secrets = services.tenants.secrets.current
  if (!secrets) throw problem('unavailable', { retryAfterSeconds: 1 })
  return { db, now, newId, keyCache, clients, secrets }
}
