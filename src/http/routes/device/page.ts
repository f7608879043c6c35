import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem, problem } from '../../../contract/problems.ts'
import { networkOf } from '../../../tenants/access/client-network.ts'
import { callableProjects, confirmCode, denyCode, findCode, type Person } from '../../../tenants/agents/device-flow.ts'
import { endedCookie, flowCookie, isKeptAt, readCookie, sessionCookie } from '../../../tenants/sign-in/cookie.ts'
import {
  actorOfSession,
  endSession,
  PAGE_SESSION_SECONDS,
  type SignInOrigin,
} from '../../../tenants/sign-in/sessions.ts'
import { signIn } from '../../../tenants/sign-in/sign-in.ts'
import { isSsoOnly } from '../../../tenants/sign-in/sso-only.ts'
import { authorOf } from '../../../tenants/people/actor.ts'
import type { StoredDeviceCode } from '../../../platform/store/agents/device-codes.ts'
import { HTML } from '../../console/send-page.ts'
import { ownUrl } from '../../edge/own-url.ts'
import type { HttpServices } from '../../route.ts'
import { codePage, confirmPage, messagePage, PAGE_POLICY, signInPage } from './page-html.ts'

// The steps of the page: sign in, type the code, confirm or deny. Each is a form to the same address. The cookie of the page is valid
// here only: it opens nothing on the admin listener, and the console's opens nothing here.

export const PAGE = '/v3/device'
const LISTENER = 'api' as const

export function sendPage(reply: FastifyReply, html: string, status = 200): FastifyReply {
  // `same-origin`, because browsers send `Origin: null` with forms of a page that has no referrer.
  reply.headers({
    'content-security-policy': PAGE_POLICY,
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
  })
  return reply.code(status).type(`${HTML}; charset=utf-8`).send(html)
}

/** The person of the cookie, as the store says now. */
export async function personOf(request: FastifyRequest, { tenants }: HttpServices): Promise<Person | undefined> {
  const token = readCookie(request.headers.cookie, tenants.config, { listener: LISTENER })
  const actor = token === undefined ? undefined : await actorOfSession(token, tenants, { listener: LISTENER })
  return actor?.session === undefined ? undefined : { ...actor, session: actor.session }
}

export function pageOrigin({ clientAddress, headers, id }: FastifyRequest): SignInOrigin {
  return { ip: clientAddress, agent: headers['user-agent'], request: id, listener: LISTENER }
}

/** What a person who has just opened the page sees. */
export async function firstPage(request: FastifyRequest, services: HttpServices, failure?: string): Promise<string> {
  const person = await personOf(request, services)
  return person ? codePage({ name: person.name, failure }) : await entrance(request, services, failure)
}

async function entrance(request: FastifyRequest, services: HttpServices, failure?: string): Promise<string> {
  const { config, db } = services.tenants
  if (!isKeptAt(ownUrl(request, services), config, LISTENER))
    return messagePage({ title: 'This page needs https', text: NEEDS_TLS })
  const hasPasswords = !(await isSsoOnly(config.auth, db))
  const begin = `${addressOf(request, services)}/sign-in`
  const ways = config.auth.oidc.map(({ name, title }) => ({ url: `${begin}/${encodeURIComponent(name)}`, title }))
  return signInPage({ ways, hasPasswords, failure })
}

const NEEDS_TLS =
  'Browsers keep a sign-in over https only. The operator of the gateway has to put TLS in front of it, and to set PUBLIC_URL to its https:// address.'

export function cookieOfPage(token: string, { tenants }: HttpServices): string {
  return sessionCookie(token, PAGE_SESSION_SECONDS, tenants.config, LISTENER)
}

export function flowCookieOfPage(value: string, seconds: number, { tenants }: HttpServices): string {
  return flowCookie(value, seconds, tenants.config, LISTENER)
}

/**
 * A page of another site can send a form here, but not with our own origin. Browsers send `Origin` with every form, so a form without
 * one is refused, too. The address is the operator's or the socket's (own-url.ts), never one that the request names.
 */
export function demandOwnOrigin(request: FastifyRequest, services: HttpServices): void {
  const { origin, 'sec-fetch-site': site } = request.headers
  const isOwn = origin === new URL(ownUrl(request, services)).origin
  if (isOwn && (site === undefined || site === 'same-origin')) return
  const message =
    'This form was not sent from this page. Open the address that your terminal shows. If that does not help, the operator of the gateway has to set PUBLIC_URL to that address.'
  throw problem('not_allowed', { message })
}

/** Of the page, for the browser of the person: a proxy may serve the gateway below a path. */
export function addressOf(request: FastifyRequest, services: HttpServices): string {
  return `${ownUrl(request, services)}${PAGE}`
}

type Form = URLSearchParams
type Step = (form: Form, request: FastifyRequest, reply: FastifyReply, services: HttpServices) => Promise<FastifyReply>

export async function takeStep(
  request: FastifyRequest,
  reply: FastifyReply,
  services: HttpServices,
): Promise<FastifyReply> {
  const form = new URLSearchParams(String(request.body ?? ''))
  const step = STEPS.get(form.get('step') ?? '')
  try {
    if (!step) throw problem('bad_request', { message: 'There is no such step.' })
    return await step(form, request, reply, services)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return sendPage(reply, await firstPage(request, services, error.message), error.status)
  }
}

const enter: Step = async (form, request, reply, services) => {
  const [email, password] = [form.get('email') ?? '', form.get('password') ?? '']
  if (email === '' || password === '' || email.length > MAX_EMAIL_CHARS || password.length > MAX_PASSWORD_CHARS)
    throw problem('sign_in_failed')
  const { token } = await signIn({ email, password }, pageOrigin(request), services.tenants)
  return reply.header('set-cookie', cookieOfPage(token, services)).redirect(addressOf(request, services), 303)
}

const MAX_EMAIL_CHARS = 254
const MAX_PASSWORD_CHARS = 1_000

const leave: Step = async (_form, request, reply, services) => {
  const person = await personOf(request, services)
  const { ip, request: id } = pageOrigin(request)
  if (person) await endSession(person, person.session, authorOf(person, { ip, request: id }), services.tenants)
  return reply
    .header('set-cookie', endedCookie(services.tenants.config, LISTENER))
    .redirect(addressOf(request, services), 303)
}

const showCode: Step = async (form, request, reply, services) => {
  const found = await codeIn(form, request, services)
  if (!found) return sendPage(reply, await firstPage(request, services), UNAUTHORIZED)
  const { person, code } = found
  if (!code) return sendPage(reply, await firstPage(request, services, NO_SUCH_CODE), NOT_FOUND)
  return sendPage(reply, await confirmation({ person, code, typed: form.get('code') ?? '' }, request, services))
}

const UNAUTHORIZED = 401
const NOT_FOUND = 404
const CONFLICT = 409
const UNPROCESSABLE = 422
const NO_SUCH_CODE =
  'This code is wrong or has expired. Check the code in your terminal, or start the sign-in there again.'

const DECIDED =
  'This sign-in was decided or has expired meanwhile. If the agent was allowed by mistake, end its session at "Your account" in the console.'

const OTHER_PERSON = 'Another person has signed in here since this page was opened. Type the code again.'

const decide: Step = async (form, request, reply, services) => {
  const found = await codeIn(form, request, services)
  if (!found) return sendPage(reply, await firstPage(request, services), UNAUTHORIZED)
  const { person, code } = found
  if (!code) return sendPage(reply, await firstPage(request, services, NO_SUCH_CODE), NOT_FOUND)
  // The form is this page's own, so the person is the one to whom it was shown.
  if ((form.get('person') ?? person.id) !== person.id)
    return sendPage(reply, await firstPage(request, services, OTHER_PERSON), CONFLICT)
  const by = { person, origin: pageOrigin(request) }
  const { name } = person
  if (form.get('decision') !== 'confirm') {
    const isDenied = await denyCode(code, by, services.tenants)
    if (!isDenied) return sendPage(reply, await firstPage(request, services, DECIDED), CONFLICT)
    return sendPage(reply, messagePage({ title: 'Denied', text: 'The agent is not signed in.', name }))
  }
  const projects = await callableProjects(person, services.tenants)
  const project = projects.find(({ id }) => id === form.get('project'))
  if (!project) {
    const page = await confirmation(
      { person, code, typed: form.get('code') ?? '' },
      request,
      services,
      'Choose one of your projects.',
    )
    return sendPage(reply, page, UNPROCESSABLE)
  }
  const isDone = await confirmCode(code, project.id, by, services.tenants)
  if (!isDone) return sendPage(reply, await firstPage(request, services, NO_SUCH_CODE), NOT_FOUND)
  const text = `The agent is signed in to the project ${project.name}. Go back to your terminal; you can close this page.`
  return sendPage(reply, messagePage({ title: 'Done', text, name }))
}

const STEPS: ReadonlyMap<string, Step> = new Map([
  ['sign-in', enter],
  ['sign-out', leave],
  ['code', showCode],
  ['decide', decide],
])

/** `typed` is the code as the person has typed it. */
type FoundCode = { person: Person; code: StoredDeviceCode; typed: string }

/** Undefined if no person has signed in. */
async function codeIn(
  form: Form,
  request: FastifyRequest,
  services: HttpServices,
): Promise<{ person: Person; code: StoredDeviceCode | undefined } | undefined> {
  const person = await personOf(request, services)
  if (!person) return undefined
  const code = await findCode(form.get('code') ?? '', person, pageOrigin(request), services.tenants)
  return { person, code }
}

async function confirmation(
  { person, code, typed }: FoundCode,
  request: FastifyRequest,
  services: HttpServices,
  failure?: string,
): Promise<string> {
  const projects = await callableProjects(person, services.tenants)
  if (projects.length === 0) {
    const text =
      'You may not call models in any project. Ask a manager of your project or an administrator of this gateway.'
    return messagePage({ title: 'No project', text, name: person.name })
  }
  const { ip, agent, device, createdAt } = code
  const facts = {
    Program: agent ?? 'unknown',
    ...(device !== null && { Machine: device }),
    Address: ip ?? 'unknown',
    'Asked at': `${new Date(createdAt).toISOString().replace('T', ' ').slice(0, 19)} UTC`,
  }
  const isElsewhere = ip !== null && networkOf({ clientAddress: ip }) !== networkOf(request)
  return confirmPage({ person: person.id, name: person.name, code: typed, facts, isElsewhere, projects, failure })
}
