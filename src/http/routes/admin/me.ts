import {
  ChangeMeRequest,
  LinkIdentityAnswer,
  LinkIdentityRequest,
  Me,
  SignOutAnswer,
} from '../../../contract/admin/own-account.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { problem } from '../../../contract/problems.ts'
import { endedCookie, flowCookie } from '../../../tenants/sign-in/cookie.ts'
import { FLOW_SECONDS } from '../../../tenants/sign-in/oidc/flow-state.ts'
import { beginOidc } from '../../../tenants/sign-in/oidc/sign-in.ts'
import { providerSignOut } from '../../../tenants/sign-in/oidc/sign-out.ts'
import { changeMe, demandOwnPassword, describeMe } from '../../../tenants/sign-in/own-account.ts'
import { endSession } from '../../../tenants/sign-in/sessions.ts'
import { askedBy, authorOfRequest, originOf } from '../../admin/admin-auth.ts'
import { ownUrl } from '../../edge/own-url.ts'
import { route } from '../../define-route.ts'
import { callbackOf, oidcServices, providerNamed } from '../sign-in/oidc.ts'
import { replyWithSession } from './open-session-reply.ts'

export const show = route({
  method: 'GET',
  path: '/admin/me',
  access: 'admin',
  permission: 'self',
  summary: 'Get your account and permissions',
  replies: { 200: { description: 'The asker.', schema: Me } },
  handle: ({ actor }, _reply, services) => describeMe(actor, services.tenants),
})

export const change = route({
  method: 'PATCH',
  path: '/admin/me',
  access: 'admin',
  permission: 'self',
  summary: 'Change your account',
  description:
    'A new password needs the current one. It ends all of your sessions, and the answer sets the cookie of a new one.',
  body: ChangeMeRequest,
  replies: {
    200: { description: 'The asker.', schema: Me },
    409: { description: 'There is no account to change, or it has no password.', schema: ErrorBody },
    429: { description: 'There were too many attempts.', schema: ErrorBody },
  },
  handle: async (request, reply, services) => {
    const body = request.body.value
    const opened = await changeMe(body, originOf(request), askedBy(request, services.tenants))
    return opened
      ? await replyWithSession(reply, opened, services.tenants)
      : describeMe(request.actor, services.tenants)
  },
})

export const linkIdentity = route({
  method: 'POST',
  path: '/admin/me/identity',
  access: 'admin',
  permission: 'self',
  summary: 'Link your account to an identity provider',
  description:
    'Links the identity that you sign in with to your account, whatever its e-mail address is. The answer ' +
    'says where to lead the browser, and sets the cookie that it brings back. The password stays.',
  body: LinkIdentityRequest,
  replies: {
    200: { description: 'The address of the provider.', schema: LinkIdentityAnswer },
    404: { description: 'There is no such provider.', schema: ErrorBody },
    409: { description: 'There is no account to change, or it has no password.', schema: ErrorBody },
    429: { description: 'There were too many attempts.', schema: ErrorBody },
    503: { description: 'The provider does not answer.', schema: ErrorBody },
  },
  handle: async (request, reply, services) => {
    const { provider: name, current_password } = request.body.value
    const provider = providerNamed(name, services)
    const user = await demandOwnPassword(current_password, originOf(request), askedBy(request, services.tenants))
    const flow = { redirectUri: callbackOf(provider, request, services), linkTo: user.id }
    const begun = await beginOidc(provider, flow, oidcServices(services)).catch(() => undefined)
    if (!begun) throw problem('unavailable', { message: 'The provider does not answer.', retryAfterSeconds: 1 })
    reply.header('set-cookie', flowCookie(begun.cookie, FLOW_SECONDS, services.tenants.config))
    return { url: begun.url }
  },
})

export const leave = route({
  method: 'POST',
  path: '/admin/me/sign-out',
  access: 'admin',
  permission: 'self',
  summary: 'Sign out',
  description:
    'Ends the session of this request. If an identity provider has opened it, the answer says where to lead the browser, so that ' +
    'the session at the provider ends too.',
  replies: {
    200: { description: 'Signed out.', schema: SignOutAnswer },
    409: { description: 'The request has no session: it came with a key or a token.', schema: ErrorBody },
  },
  handle: async (request, reply, services) => {
    const { session } = request.actor
    if (session === undefined) throw problem('conflict', { message: 'There is no session to end.' })
    const { db, oidcClients: clients, config } = services.tenants
    const returnTo = `${ownUrl(request, services)}/sign-in`
    const url = await providerSignOut(session, returnTo, { db, clients, providers: config.auth.oidc })
    await endSession(request.actor, session, authorOfRequest(request), services.tenants)
    reply.header('set-cookie', endedCookie(config))
    return { url: url ?? null }
  },
})
