import type { FastifyReply, FastifyRequest } from 'fastify'
import { ConsentForm } from '../../../../contract/mcp-oauth.ts'
import { ErrorBody } from '../../../../contract/errors.ts'
import { textOf } from '../../../../base/schema/record.ts'
import Type from '../../../../base/schema/type.ts'
import { callableProjects, type Person } from '../../../../tenants/agents/device-flow.ts'
import {
  confirmGrant,
  denyGrant,
  GRANT_SECONDS,
  type GrantRequest,
  openRequest,
} from '../../../../tenants/mcp-oauth/grants.ts'
import { placeOf } from '../../../../tenants/mcp-oauth/redirect-uris.ts'
import { isDocumentId } from '../../../../tenants/mcp-oauth/clients.ts'
import { grantCookie } from '../../../../tenants/sign-in/cookie.ts'
import { HTML } from '../../../console/send-page.ts'
import { ownUrl } from '../../../edge/own-url.ts'
import { route } from '../../../define-route.ts'
import type { HttpServices } from '../../../route.ts'
import { demandOwnOrigin, PAGE, pageOrigin, personOf, sendPage } from '../../device/page.ts'
import { consentPage, leadingPage, refusedPage } from './consent-html.ts'
import { OAUTH_BASE } from './consent-path.ts'
import { secretsOf } from './find-client.ts'
import { oauthIsOn } from './metadata.ts'

const common = { path: `${OAUTH_BASE}/consent`, access: 'open' as const, isOn: oauthIsOn }
const PAGE_REPLY = { description: 'The page.', contentType: HTML, schema: Type.String() }
const SIGN_IN = { description: 'To the sign-in, which leads back.' }
const refusals = (...statuses: number[]) =>
  Object.fromEntries(
    statuses.map((status) => [status, { description: 'The page has the reason.', schema: ErrorBody, texts: [HTML] }]),
  )
const BAD_REQUEST = 400
const CONFLICT = 409
const UNPROCESSABLE = 422

const TOO_OLD = 'This page is too old. Start again in the program.'
const OTHER_PERSON = 'Another person has signed in here since this page was opened.'
const NO_PROJECT =
  'You may not call models in any project. Ask a manager of your project or an administrator of this gateway.'

export const show = route({
  ...common,
  method: 'GET',
  summary: 'Open the page on which a person lets a program use MCP',
  // It is longer than texts of queries are elsewhere.
  rawQuery: true,
  query: Type.Object({ request: Type.Optional(Type.String({ description: 'What the program asks for, sealed.' })) }),
  replies: { 200: PAGE_REPLY, 303: SIGN_IN, ...refusals(400) },
  handle: async (request, reply, services) => {
    const sealed = textOf(request.query.request)
    const asked = opened(sealed, services)
    if (!asked) return sendPage(reply, refusedPage(TOO_OLD), BAD_REQUEST)
    const person = await personOf(request, services)
    return person ? await sendConsent({ asked, sealed, person }, reply, services) : signInFirst(sealed, reply, services)
  },
})

export const decide = route({
  ...common,
  method: 'POST',
  summary: 'Let a program use MCP, or deny it',
  description:
    'The form of the page itself. Those of other pages are refused. The answer leads the browser back to the program.',
  isUrlForm: true,
  form: ConsentForm,
  replies: { 200: PAGE_REPLY, 303: SIGN_IN, ...refusals(400, 403, 409, 422) },
  handle: async (request, reply, services) => {
    demandOwnOrigin(request, services)
    const form = new URLSearchParams(String(request.body ?? ''))
    const sealed = form.get('request') ?? ''
    const asked = opened(sealed, services)
    if (!asked) return sendPage(reply, refusedPage(TOO_OLD), BAD_REQUEST)
    const person = await personOf(request, services)
    if (!person) return signInFirst(sealed, reply, services)
    if (form.get('person') !== person.id)
      return await sendConsent({ asked, sealed, person, failure: OTHER_PERSON }, reply, services, CONFLICT)
    const by = { person, origin: pageOrigin(request) }
    if (form.get('decision') !== 'confirm') {
      await denyGrant(asked, by, services.tenants)
      return leadBack(asked, { error: 'access_denied' }, { request, reply, services })
    }
    const project = (await callableProjects(person, services.tenants)).find(({ id }) => id === form.get('project'))
    if (!project) {
      const failure = 'Choose one of your projects.'
      return await sendConsent({ asked, sealed, person, failure }, reply, services, UNPROCESSABLE)
    }
    const code = await confirmGrant(asked, project.id, by, services.tenants)
    return leadBack(asked, { code }, { request, reply, services })
  },
})

function opened(sealed: string, services: HttpServices): GrantRequest | undefined {
  return openRequest(sealed, secretsOf(services), services.tenants.now())
}

/** The page of the sign-in leads back here. */
function signInFirst(sealed: string, reply: FastifyReply, { tenants }: HttpServices): FastifyReply {
  return reply.header('set-cookie', grantCookie(sealed, GRANT_SECONDS, tenants.config)).redirect(PAGE, 303)
}

type Shown = { asked: GrantRequest; sealed: string; person: Person; failure?: string }

async function sendConsent(
  { asked, sealed, person, failure }: Shown,
  reply: FastifyReply,
  services: HttpServices,
  status = 200,
): Promise<FastifyReply> {
  const projects = await callableProjects(person, services.tenants)
  if (projects.length === 0) return sendPage(reply, refusedPage(NO_PROJECT), status)
  const { client, redirectUri, resource } = asked
  const facts = {
    'May use': resource,
    'Goes back to': placeOf(redirectUri),
    ...(isDocumentId(client.id) && { 'Published by': new URL(client.id).host }),
  }
  return sendPage(
    reply,
    consentPage({ request: sealed, person, program: client.name, facts, projects, failure }),
    status,
  )
}

type Answering = { request: FastifyRequest; reply: FastifyReply; services: HttpServices }

function leadBack(
  { redirectUri, state, client }: GrantRequest,
  answer: Readonly<Record<string, string>>,
  { request, reply, services }: Answering,
): FastifyReply {
  const url = new URL(redirectUri)
  const named = { ...answer, ...(state !== null && { state }), iss: ownUrl(request, services) }
  for (const [name, value] of Object.entries(named)) url.searchParams.set(name, value)
  const title = 'code' in answer ? 'Allowed' : 'Denied'
  return sendPage(
    reply,
    leadingPage({ title, text: `Go back to ${client.name}. You can close this page.`, url: url.href }),
  )
}
