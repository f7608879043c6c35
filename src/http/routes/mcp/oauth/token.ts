import type { FastifyRequest } from 'fastify'
import { OAuthError, RevocationForm } from '../../../../contract/agents.ts'
import { McpTokenForm, McpTokens, RegisterClientRequest, RegisteredClient } from '../../../../contract/mcp-oauth.ts'
import Type from '../../../../base/schema/type.ts'
import { revokeToken, type SessionTokens } from '../../../../tenants/agents/agent-sessions.ts'
import { registerClient } from '../../../../tenants/mcp-oauth/clients.ts'
import { redeemGrant, renewGrant } from '../../../../tenants/mcp-oauth/grants.ts'
import { route } from '../../../define-route.ts'
import type { HttpServices } from '../../../route.ts'
import { fieldOf, OAUTH_REPLIES, originOfAgent, refuse } from '../../claude/agent-route.ts'
import { readResource } from './authorize.ts'
import { OAUTH_BASE } from './consent-path.ts'
import { secretsOf } from './find-client.ts'
import { oauthIsOn } from './metadata.ts'

const common = { method: 'POST' as const, access: 'open' as const, isOn: oauthIsOn, errors: OAuthError }
const NEVER_KEPT = { 'cache-control': 'no-store' }

export const register = route({
  ...common,
  path: `${OAUTH_BASE}/register`,
  summary: 'Register a program that wants to use MCP',
  description:
    'Dynamic client registration (RFC 7591), for programs without a document of their own. Everybody may register: what a program may do, ' +
    'a person decides.',
  body: RegisterClientRequest,
  replies: { 201: { description: 'The program.', schema: RegisteredClient }, ...OAUTH_REPLIES },
  handle: (request, reply, services) => {
    const client = registerClient(request.body.value, secretsOf(services))
    if (typeof client === 'string') return refuse(reply, client, WHY[client])
    reply.headers(NEVER_KEPT)
    return {
      client_id: client.id,
      client_id_issued_at: Math.floor(services.tenants.now() / 1_000),
      client_name: client.name,
      redirect_uris: [...client.redirectUris],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none' as const,
    }
  },
})

export const token = route({
  ...common,
  path: `${OAUTH_BASE}/token`,
  isUrlForm: true,
  summary: 'Get tokens for MCP',
  description:
    'For the code of a consent, once and within a minute, or for the refresh token of the last answer. A code or a refresh token that comes ' +
    'again later ends the session.',
  form: McpTokenForm,
  replies: { 200: { description: 'The tokens.', schema: McpTokens }, ...OAUTH_REPLIES },
  handle: async (request, reply, services) => {
    const result = await tokensFor(request, services)
    if (typeof result === 'string') return refuse(reply, result, WHY[result])
    reply.headers(NEVER_KEPT)
    const seconds = Math.round((result.accessExpiresAt - services.tenants.now()) / 1_000)
    return {
      access_token: result.access,
      token_type: 'Bearer' as const,
      expires_in: Math.max(0, seconds),
      refresh_token: result.refresh,
      scope: 'mcp' as const,
    }
  },
})

const WHY = {
  invalid_grant:
    'The code or the token is unknown, was used, belongs to another program, or its session has ended. Ask the person again.',
  invalid_request: 'The form does not have what this grant needs.',
  invalid_target: 'The person has agreed to another resource.',
  invalid_redirect_uri: 'Name one to ten addresses: https, a port of this machine, or a scheme of the program.',
  invalid_client_metadata: 'The registration is too long.',
  slow_down: 'Ask less often.',
  unsupported_grant_type: 'Send authorization_code or refresh_token as grant_type.',
}

async function tokensFor(request: FastifyRequest, services: HttpServices): Promise<SessionTokens | keyof typeof WHY> {
  const [grant, clientId] = [fieldOf(request, 'grant_type'), fieldOf(request, 'client_id')]
  const origin = originOfAgent(request)
  const { tenants } = services
  if (grant === 'refresh_token') {
    const used = fieldOf(request, 'refresh_token')
    if (used === '' || clientId === '') return 'invalid_request'
    return await renewGrant({ token: used, clientId }, origin, tenants)
  }
  if (grant !== 'authorization_code') return grant === '' ? 'invalid_request' : 'unsupported_grant_type'
  const [code, verifier] = [fieldOf(request, 'code'), fieldOf(request, 'code_verifier')]
  const redirectUri = fieldOf(request, 'redirect_uri') || undefined
  if ([code, verifier, clientId].includes('')) return 'invalid_request'
  const named = fieldOf(request, 'resource')
  const resource = named === '' ? undefined : (readResource(named, request, services) ?? NOWHERE)
  return await redeemGrant({ code, verifier, clientId, redirectUri, resource }, origin, tenants)
}

/** Is no resource of any consent. */
const NOWHERE = ''

export const revoke = route({
  ...common,
  path: `${OAUTH_BASE}/revoke`,
  isUrlForm: true,
  summary: 'End the session of a program that uses MCP',
  description:
    'RFC 7009: ends the session of the token, in all processes within seconds. An unknown token is answered the same way.',
  form: RevocationForm,
  replies: { 200: { description: 'The session has ended.', schema: Type.Object({}) }, ...OAUTH_REPLIES },
  handle: async (request, reply, services) => {
    const used = fieldOf(request, 'token')
    if (used === '') return refuse(reply, 'invalid_request', WHY.invalid_request)
    await revokeToken(used, originOfAgent(request), services.tenants)
    return {}
  },
})
