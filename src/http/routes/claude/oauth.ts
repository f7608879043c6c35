import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  AgentTokens,
  DEVICE_GRANT,
  DeviceAuthorization,
  DeviceForm,
  OAuthError,
  RevocationForm,
  TokenForm,
} from '../../../contract/agents.ts'
import Type from '../../../base/schema/type.ts'
import { renewTokens, revokeToken, type SessionTokens } from '../../../tenants/agents/agent-sessions.ts'
import { beginDeviceFlow, CODE_SECONDS, POLL_SECONDS, redeemDeviceCode } from '../../../tenants/agents/device-flow.ts'
import { ownUrl } from '../../edge/own-url.ts'
import { route } from '../../define-route.ts'
import type { HttpServices } from '../../route.ts'
import { agentsAreOn, fieldOf, OAUTH_REPLIES, originOfAgent, refuse } from './agent-route.ts'

const common = {
  method: 'POST' as const,
  access: 'open' as const,
  isOn: agentsAreOn,
  isUrlForm: true,
  errors: OAuthError,
}

export const begin = route({
  ...common,
  path: '/v3/claude/oauth/device_authorization',
  summary: 'Start the sign-in of a coding agent',
  description:
    'The device flow (RFC 8628). The agent shows the address of the page and the short code. The person opens the page, signs in, types the ' +
    'code and confirms, while the agent asks `POST /v3/claude/oauth/token` with the long code.',
  form: DeviceForm,
  replies: { 200: { description: 'Both codes.', schema: DeviceAuthorization }, ...OAUTH_REPLIES },
  handle: async (request, _reply, services) => {
    const terminal = {
      ip: request.clientAddress,
      agent: request.headers['user-agent'],
      device: fieldOf(request, 'device_name'),
    }
    const { deviceCode, userCode } = await beginDeviceFlow(terminal, services.tenants)
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: `${ownUrl(request, services)}/v3/device`,
      expires_in: CODE_SECONDS,
      interval: POLL_SECONDS,
    }
  },
})

export const token = route({
  ...common,
  path: '/v3/claude/oauth/token',
  summary: 'Get tokens for a coding agent',
  description:
    'For a device code whose sign-in a person has confirmed, or for the refresh token of the last answer. An access token is valid for eight ' +
    'hours, a refresh token for 14 days, and once: a terminal that shares its credential with another one and comes second within a minute ' +
    'gets the same tokens. A refresh token that is used again later ends the session.',
  form: TokenForm,
  replies: { 200: { description: 'The tokens.', schema: AgentTokens }, ...OAUTH_REPLIES },
  handle: async (request, reply, services) => {
    const result = await tokensFor(request, services)
    if (typeof result === 'string') return refuse(reply, result, WHY[result])
    const { access, refresh, accessExpiresAt, email } = result
    const seconds = Math.round((accessExpiresAt - services.tenants.now()) / 1_000)
    return {
      access_token: access,
      token_type: 'Bearer' as const,
      expires_in: Math.max(0, seconds),
      refresh_token: refresh,
      email,
    }
  },
})

const WHY = {
  authorization_pending: 'The person has not confirmed yet.',
  slow_down: 'Ask less often: wait five seconds longer between two questions.',
  expired_token: 'The code is too old. Begin again.',
  access_denied: 'The person has denied this sign-in, or may not use the project.',
  invalid_grant: 'The code or the token is unknown, was used, or its session has ended. Sign in again.',
  invalid_request: 'The form does not have what this grant needs.',
  unsupported_grant_type: `Send ${DEVICE_GRANT} or refresh_token as grant_type.`,
}

async function tokensFor(
  request: FastifyRequest,
  { tenants }: HttpServices,
): Promise<SessionTokens | keyof typeof WHY> {
  const grant = fieldOf(request, 'grant_type')
  const origin = originOfAgent(request)
  if (grant === 'refresh_token') {
    const used = fieldOf(request, 'refresh_token')
    return used === '' ? 'invalid_request' : await renewTokens(used, origin, tenants)
  }
  if (grant !== DEVICE_GRANT) return grant === '' ? 'invalid_request' : 'unsupported_grant_type'
  const code = fieldOf(request, 'device_code')
  return code === '' ? 'invalid_request' : await redeemDeviceCode(code, origin, tenants)
}

export const revoke = route({
  ...common,
  path: '/v3/claude/oauth/revoke',
  summary: 'Sign a coding agent out',
  description:
    'RFC 7009: ends the session of the token, in all processes within seconds. An unknown token is answered the same way.',
  form: RevocationForm,
  replies: { 200: { description: 'The session has ended.', schema: Type.Object({}) }, ...OAUTH_REPLIES },
  handle: async (request, reply: FastifyReply, services) => {
    const token = fieldOf(request, 'token')
    if (token === '') return refuse(reply, 'invalid_request', WHY.invalid_request)
    await revokeToken(token, originOfAgent(request), services.tenants)
    return {}
  },
})
