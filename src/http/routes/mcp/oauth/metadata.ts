import type { FastifyRequest } from 'fastify'
import { ErrorBody } from '../../../../contract/errors.ts'
import { McpAuthorizationServer, ProtectedResource } from '../../../../contract/mcp-oauth.ts'
import type { Config } from '../../../../platform/config/config.ts'
import { MCP_PATH, resourceIn } from '../../../edge/mcp-challenge.ts'
import { ownUrl } from '../../../edge/own-url.ts'
import { problem } from '../../../../contract/problems.ts'
import { route } from '../../../define-route.ts'
import type { HttpServices } from '../../../route.ts'
import { OAUTH_BASE } from './consent-path.ts'

export function oauthIsOn({ mcp }: Config): boolean {
  return mcp.oauth
}

const common = { method: 'GET' as const, access: 'open' as const, isOn: oauthIsOn }
const PROTECTED = '/.well-known/oauth-protected-resource'

const resourceReplies = { 200: { description: 'Who gives tokens for it.', schema: ProtectedResource } }

const ofMcp = route({
  ...common,
  path: `${PROTECTED}/v3/mcp`,
  summary: 'Find out who gives tokens for the MCP server',
  description: 'OAuth 2.0 Protected Resource Metadata (RFC 9728).',
  replies: resourceReplies,
  handle: (request, _reply, services) => resourceAt(MCP_PATH, request, services),
})

const ofServer = route({
  ...common,
  path: `${PROTECTED}/v3/mcp/{server_name}`,
  summary: 'Find out who gives tokens for an MCP server behind the gateway',
  description: 'The same for every name, whether there is such a server or not.',
  replies: { ...resourceReplies, 404: { description: 'No server is called like that.', schema: ErrorBody } },
  handle: (request, _reply, services) => {
    const path = `${MCP_PATH}/${request.params.server_name}`
    if (resourceIn(path) !== path) throw problem('not_found', { message: 'There is no such MCP server.' })
    return resourceAt(path, request, services)
  },
})

/** For clients that ask only here. */
const ofHost = route({
  ...common,
  path: PROTECTED,
  summary: 'Find out who gives tokens for the MCP server of this host',
  replies: resourceReplies,
  handle: (request, _reply, services) => resourceAt(MCP_PATH, request, services),
})

function resourceAt(path: string, request: FastifyRequest, services: HttpServices) {
  const base = ownUrl(request, services)
  return {
    resource: base + path,
    authorization_servers: [base],
    scopes_supported: ['mcp'],
    bearer_methods_supported: ['header'],
    resource_name: path === MCP_PATH ? 'Tools of Gatehouse' : `${path.slice(MCP_PATH.length + 1)}, behind Gatehouse`,
  }
}

const server = route({
  ...common,
  path: '/.well-known/oauth-authorization-server',
  summary: 'Find the steps of OAuth for MCP',
  description: 'OAuth 2.0 Authorization Server Metadata (RFC 8414).',
  replies: { 200: { description: 'The addresses.', schema: McpAuthorizationServer } },
  handle: (request, _reply, services) => {
    const issuer = ownUrl(request, services)
    const at = (step: string) => `${issuer}${OAUTH_BASE}/${step}`
    return {
      issuer,
      authorization_endpoint: at('authorize'),
      token_endpoint: at('token'),
      registration_endpoint: at('register'),
      revocation_endpoint: at('revoke'),
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      scopes_supported: ['mcp'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    }
  },
})

export const metadataRoutes = [ofMcp, ofServer, ofHost, server]
