import { closed, open, optional } from '../base/schema/fields.ts'
import Type from '../base/schema/type.ts'

// How people let programs use `/v3/mcp` in their name: OAuth 2.1 (RFC 6749, 7636, 7009, 7591, 8414, 8707, 9207, 9728).

const url = (description: string) => Type.String({ description })
const texts = (description: string) => Type.Array(Type.String(), { description })

export const ProtectedResource = Type.Object(
  {
    resource: url('The MCP server, as tokens name it.'),
    authorization_servers: texts('Who gives tokens for it: this gateway.'),
    scopes_supported: texts('There is one.'),
    bearer_methods_supported: texts('In the header `Authorization`.'),
    resource_name: Type.String({ description: 'For people.' }),
  },
  { title: 'ProtectedResource', description: 'Where a program gets a token for an MCP server (RFC 9728).' },
)

export const McpAuthorizationServer = Type.Object(
  {
    issuer: url('The address of this gateway.'),
    authorization_endpoint: url('Where the browser of the person begins.'),
    token_endpoint: url('Where tokens come from.'),
    registration_endpoint: url('Where programs without a document of their own register.'),
    revocation_endpoint: url('Where a session ends.'),
    response_types_supported: texts('A code.'),
    response_modes_supported: texts('In the query.'),
    grant_types_supported: texts('A code, or a refresh token.'),
    code_challenge_methods_supported: texts('PKCE is required, with SHA-256.'),
    token_endpoint_auth_methods_supported: texts('Programs have no secret.'),
    revocation_endpoint_auth_methods_supported: texts('Programs have no secret.'),
    scopes_supported: texts('There is one.'),
    client_id_metadata_document_supported: Type.Boolean({
      description: 'The address of a document may be a `client_id`.',
    }),
    authorization_response_iss_parameter_supported: Type.Boolean({ description: 'Answers name the issuer.' }),
  },
  { title: 'McpAuthorizationServer', description: 'Where a program finds the steps of OAuth (RFC 8414).' },
)

export const RegisterClientRequest = Type.Object(
  {
    redirect_uris: Type.Array(Type.String({ maxLength: 500 }), {
      minItems: 1,
      maxItems: 10,
      description:
        'Where the browser may be sent back to: https, a port of its own machine, or a scheme of the program.',
    }),
    client_name: optional(Type.String({ maxLength: 500 }), 'What people are shown. It is only a claim.'),
  },
  {
    title: 'RegisterClientRequest',
    description: 'A program (RFC 7591). What else it says about itself is not kept.',
    ...open,
  },
)

export const RegisteredClient = Type.Object(
  {
    client_id: Type.String({ description: 'Holds what was registered, sealed. Nothing is stored.' }),
    client_id_issued_at: Type.Integer({ description: 'Now, in seconds.' }),
    client_name: Type.String({ description: 'What people are shown.' }),
    redirect_uris: texts('Where the browser may be sent back to.'),
    grant_types: texts('A code, or a refresh token.'),
    response_types: texts('A code.'),
    token_endpoint_auth_method: Type.Literal('none'),
  },
  { title: 'RegisteredClient', description: 'A program that may ask people for access.' },
)

export const McpTokenForm = Type.Object(
  {
    grant_type: Type.String({ description: '`authorization_code` or `refresh_token`.' }),
    client_id: Type.String({ description: 'The program.' }),
    code: optional(Type.String(), 'The code of the consent.'),
    code_verifier: optional(Type.String(), 'What the `code_challenge` was made of.'),
    redirect_uri: optional(Type.String(), 'The same as before, if it is there.'),
    resource: optional(Type.String(), 'The same as before.'),
    refresh_token: optional(Type.String(), 'The token of the last answer.'),
  },
  { title: 'McpTokenForm', description: 'What the program has.', ...open },
)

export const McpTokens = Type.Object(
  {
    access_token: Type.String({
      description: 'Is accepted by the MCP server that the person has agreed to, and nowhere else.',
    }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ minimum: 0, description: 'How long the access token is valid.' }),
    refresh_token: Type.String({ description: 'Is used once.' }),
    scope: Type.Literal('mcp'),
  },
  { title: 'McpTokens', description: 'The tokens of a program.' },
)

export const ConsentForm = Type.Object(
  {
    request: Type.String({ description: 'What the program asks for, sealed.' }),
    person: Type.String({ description: 'The person for whom the page was made.' }),
    project: Type.Optional(Type.String({ description: 'The project that pays.' })),
    decision: Type.Optional(Type.String({ description: '`confirm` or `deny`.' })),
  },
  { title: 'ConsentForm', description: 'What the person has decided.', ...closed },
)
