import { ErrorBody } from '../../../../contract/errors.ts'
import Type from '../../../../base/schema/type.ts'
import { type GrantRequest, isChallenge, sealRequest } from '../../../../tenants/mcp-oauth/grants.ts'
import { isRegistered } from '../../../../tenants/mcp-oauth/redirect-uris.ts'
import { HTML } from '../../../console/send-page.ts'
import { MCP_PATH, resourceIn } from '../../../edge/mcp-challenge.ts'
import { ownUrl } from '../../../edge/own-url.ts'
import { route } from '../../../define-route.ts'
import type { FastifyRequest } from 'fastify'
import type { HttpServices } from '../../../route.ts'
import { sendPage } from '../../device/page.ts'
import { leadingPage, refusedPage } from './consent-html.ts'
import { consentPath, OAUTH_BASE } from './consent-path.ts'
import { findClient, secretsOf } from './find-client.ts'
import { oauthIsOn } from './metadata.ts'

const text = (description: string) => Type.Optional(Type.String({ description }))
const PARAMETERS = {
  response_type: text('`code`.'),
  client_id: text('The program: what it got when it registered, or the address of its document.'),
  redirect_uri: text('Where the browser is sent back to.'),
  code_challenge: text('PKCE: the SHA-256 of the verifier, as base64url.'),
  code_challenge_method: text('`S256`.'),
  resource: text(
    'The MCP server that the token is for: this host and `/v3/mcp`, or a server below it. `/v3/mcp` if absent.',
  ),
  scope: text('There is one, `mcp`, which every token has.'),
  state: text('Comes back with the code.'),
}

type Parameter = keyof typeof PARAMETERS

/** Nothing is sent to an address of a program before a person agrees, so that links to the gateway lead nowhere else. */
export const authorize = route({
  method: 'GET',
  path: `${OAUTH_BASE}/authorize`,
  access: 'open',
  isOn: oauthIsOn,
  summary: 'Ask a person to let a program use MCP',
  description: 'The browser of the person opens this address. Mistakes are shown there, and not sent to the program.',
  rawQuery: true,
  query: Type.Object(PARAMETERS),
  replies: {
    200: { description: 'Leads on to the consent.', contentType: HTML, schema: Type.String() },
    400: { description: 'The page says what is wrong.', schema: ErrorBody, texts: [HTML] },
    429: { description: 'There were too many attempts.', schema: ErrorBody },
  },
  handle: async (request, reply, services) => {
    const asked = await requestIn(request, services)
    if (typeof asked === 'string') return sendPage(reply, refusedPage(asked), BAD_REQUEST)
    const sealed = sealRequest(asked, secretsOf(services), services.tenants.now())
    if (sealed === undefined)
      return sendPage(reply, refusedPage('The request of the program is too long.'), BAD_REQUEST)
    // Browsers send no Strict cookie with a request that another site leads to, so a page of ours leads on.
    return sendPage(reply, leadingPage({ title: 'Continue', text: 'This page leads on.', url: consentPath(sealed) }))
  },
})

const BAD_REQUEST = 400

async function requestIn(
  request: FastifyRequest,
  services: HttpServices,
): Promise<Omit<GrantRequest, 'expiresAt'> | string> {
  const query = new URLSearchParams(request.url.split('?', 2)[1] ?? '')
  if (Object.keys(PARAMETERS).some((name) => query.getAll(name).length > 1)) return 'A parameter is there twice.'
  const get = (name: Parameter) => query.get(name) ?? ''
  request.callController ??= new AbortController()
  const asking = { ip: request.clientAddress, signal: request.callController.signal, secrets: secretsOf(services) }
  const client = await findClient(get('client_id'), asking, services)
  if (!client) return 'The program is not known here. It has to register again, or its document cannot be read.'
  const redirectUri = get('redirect_uri') || (client.redirectUris.length === 1 ? client.redirectUris[0]! : '')
  if (!isRegistered(redirectUri, client.redirectUris))
    return 'The program wants to be sent to an address that is not its own.'
  if (get('response_type') !== 'code') return 'The program has to ask for a code (response_type).'
  if (get('code_challenge_method') !== 'S256' || !isChallenge(get('code_challenge')))
    return 'The program has to use PKCE with S256.'
  const resource = readResource(query.get('resource'), request, services)
  if (resource === undefined) return 'The program asks for a resource that is not an MCP server of this gateway.'
  const { id, name } = client
  return { client: { id, name }, redirectUri, challenge: get('code_challenge'), resource, state: query.get('state') }
}

/**
 * The path of the server that a program names: with or without a slash at its end, with a query that chooses tools, and with capital
 * letters in the host. Undefined if it is none of ours.
 */
export function readResource(url: string | null, request: FastifyRequest, services: HttpServices): string | undefined {
  if (url === null) return MCP_PATH
  const named = URL.parse(url)
  if (named?.origin !== new URL(ownUrl(request, services)).origin || named.hash !== '' || named.username !== '')
    return undefined
  const path = named.pathname.replace(/\/$/, '')
  return resourceIn(path) === path ? path : undefined
}
