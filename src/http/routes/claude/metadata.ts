import { AuthorizationServer, DEVICE_GRANT } from '../../../contract/agents.ts'
import Type from '../../../base/schema/type.ts'
import { route } from '../../define-route.ts'
import { agentBase, agentsAreOn } from './agent-route.ts'

export const metadata = route({
  method: 'GET',
  path: '/v3/claude/.well-known/oauth-authorization-server',
  access: 'open',
  isOn: agentsAreOn,
  summary: 'Get the sign-in metadata',
  description:
    'OAuth 2.0 Authorization Server Metadata (RFC 8414). Set `forceLoginGatewayUrl` of Claude Code to `<this host>/v3/claude`.',
  replies: { 200: { description: 'The addresses.', schema: AuthorizationServer } },
  handle: (request, _reply, services) => {
    const base = agentBase(request, services)
    return {
      issuer: base,
      device_authorization_endpoint: `${base}/oauth/device_authorization`,
      token_endpoint: `${base}/oauth/token`,
      revocation_endpoint: `${base}/oauth/revoke`,
      grant_types_supported: [DEVICE_GRANT, 'refresh_token'],
      response_types_supported: [],
      scopes_supported: [],
      token_endpoint_auth_methods_supported: ['none'],
    }
  },
})

/** Agents ask whether the gateway is there. HEAD is answered by the same route. */
export const hello = route({
  method: 'GET',
  path: '/v3/claude/api/hello',
  access: 'open',
  isOn: agentsAreOn,
  summary: 'Check that the gateway answers',
  replies: { 200: { description: 'It is.', schema: Type.Object({ message: Type.Literal('hello') }) } },
  handle: () => ({ message: 'hello' as const }),
})
