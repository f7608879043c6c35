import { freeObject, nullable, open, optional, uuid } from '../base/schema/fields.ts'
import Type, { type Static } from '../base/schema/type.ts'

// What coding agents and the gateway say to each other when a person signs in: OAuth with a device code (RFC 8628, 6749, 7009, 8414).

const url = (description: string) => Type.String({ description })
const seconds = (description: string) => Type.Integer({ minimum: 0, description })

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

export const AuthorizationServer = Type.Object(
  {
    issuer: url('The base address, which the agent was configured with.'),
    device_authorization_endpoint: url('Where a sign-in begins.'),
    token_endpoint: url('Where tokens come from.'),
    revocation_endpoint: url('Where a session ends.'),
    grant_types_supported: Type.Array(Type.String(), { description: 'A device code, or a refresh token.' }),
    response_types_supported: Type.Array(Type.String(), { description: 'None: there is no browser at the agent.' }),
    scopes_supported: Type.Array(Type.String(), { description: 'None: the project decides.' }),
    token_endpoint_auth_methods_supported: Type.Array(Type.String(), { description: 'Agents have no secret.' }),
  },
  { title: 'AuthorizationServer', description: 'Where an agent finds the steps of a sign-in.' },
)
export type AuthorizationServer = Static<typeof AuthorizationServer>

export const DeviceForm = Type.Object(
  { device_name: optional(Type.String({ maxLength: 200 }), 'What the machine is called. The person sees it.') },
  { title: 'DeviceForm', description: 'A sign-in of a terminal. Nothing in it is needed.', ...open },
)

export const DeviceAuthorization = Type.Object(
  {
    device_code: Type.String({ description: 'For the agent, to ask for its tokens with.' }),
    user_code: Type.String({ description: 'For the person, to type into the page.' }),
    verification_uri: url('The page.'),
    expires_in: seconds('How long both codes are valid.'),
    interval: seconds('How long the agent waits between two questions.'),
  },
  { title: 'DeviceAuthorization', description: 'A sign-in that has begun.' },
)
export type DeviceAuthorization = Static<typeof DeviceAuthorization>

export const TokenForm = Type.Object(
  {
    grant_type: Type.String({ description: `\`${DEVICE_GRANT}\` or \`refresh_token\`.` }),
    device_code: optional(Type.String({ maxLength: 200 }), 'The code of the sign-in.'),
    refresh_token: optional(Type.String({ maxLength: 200 }), 'The token of the last answer.'),
  },
  { title: 'TokenForm', description: 'What the agent has.', ...open },
)

export const AgentTokens = Type.Object(
  {
    access_token: Type.String({ description: 'Is accepted wherever a key is.' }),
    token_type: Type.Literal('Bearer'),
    expires_in: seconds('How long the access token is valid.'),
    refresh_token: Type.String({ description: 'Is used once.' }),
    email: nullable(Type.String(), 'The person who has signed in.'),
  },
  { title: 'AgentTokens', description: 'The tokens of a session.' },
)
export type AgentTokens = Static<typeof AgentTokens>

export const RevocationForm = Type.Object(
  {
    token: Type.String({ maxLength: 200, description: 'An access token or a refresh token.' }),
    token_type_hint: optional(Type.String({ maxLength: 100 }), 'Is not needed.'),
  },
  { title: 'RevocationForm', description: 'The session that ends.', ...open },
)

export const OAuthError = Type.Object(
  {
    error: Type.String({ description: 'One word, such as `authorization_pending`, `slow_down`, `invalid_grant`.' }),
    error_description: Type.Optional(Type.String({ description: 'A sentence for people.' })),
  },
  { title: 'OAuthError', description: 'Why there are no tokens.' },
)
export type OAuthError = Static<typeof OAuthError>

export const ManagedSettings = Type.Object(
  {
    uuid: uuid('Another one as soon as the settings differ.'),
    checksum: Type.String({ description: 'The SHA-256 of the settings.' }),
    settings: freeObject({ description: 'As in `managed-settings.json` of Claude Code.' }),
  },
  { title: 'ManagedSettings', description: 'What Claude Code has to follow in this session.' },
)
export type ManagedSettings = Static<typeof ManagedSettings>

export const OtlpBatch = Type.Object(
  {
    resourceSpans: Type.Optional(Type.Array(freeObject(), { description: 'In a batch of traces.' })),
    resourceMetrics: Type.Optional(Type.Array(freeObject(), { description: 'In a batch of metrics.' })),
    resourceLogs: Type.Optional(Type.Array(freeObject(), { description: 'In a batch of logs.' })),
  },
  { title: 'OtlpBatch', description: 'A batch of OpenTelemetry, as its protocol OTLP says.', ...open },
)

export const OtlpAnswer = Type.Object(
  {
    partialSuccess: Type.Optional(
      Type.Object(
        { errorMessage: Type.String({ description: 'What the collector says.' }) },
        { description: 'What is lost.' },
      ),
    ),
  },
  { title: 'OtlpAnswer', description: 'All was taken, unless it says otherwise.' },
)
