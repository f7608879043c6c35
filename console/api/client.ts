// The admin API, as the browser calls it. The cookie of the session comes along by itself.

export type Query = Record<string, string | number | boolean | undefined>
type Issue = { loc: (string | number)[]; msg: string }

/** What the gateway says when it refuses something. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string | null
  readonly issues: readonly Issue[]

  constructor(status: number, body: ErrorBody | undefined) {
    super(body?.error?.message ?? `The gateway answered with status ${status}.`)
    this.status = status
    this.code = body?.error?.code ?? null
    this.issues = body?.detail ?? []
  }
}

type ErrorBody = { error?: { message: string; code: string | null }; detail?: Issue[] }

/** Screens that need no session, so a refusal is for the person and leads nowhere else. */
const OPEN_PATHS = ['/sign-in', '/setup']

export function pathWith(path: string, query: Query = {}): string {
  const members = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  const text = new URLSearchParams(members).toString()
  return text === '' ? path : `${path}?${text}`
}

export async function getJson<Body>(path: string, query?: Query, signal?: AbortSignal): Promise<Body> {
  return (await ask(pathWith(path, query), signal ? { signal } : {})) as Body
}

/** Undefined for an answer without a body. */
export async function sendJson<Body>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<Body> {
  const content = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  return (await ask(path, { method, ...content })) as Body
}

async function ask(path: string, options: RequestInit): Promise<unknown> {
  const answer = await openAnswer(path, options)
  return answer.status === 204 ? undefined : await answer.json().catch(() => undefined)
}

/** Posts JSON. The body of the answer is still to be read. */
export function postJson(path: string, body: object, signal: AbortSignal): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return openAnswer(path, { method: 'POST', headers, body: JSON.stringify(body), signal })
}

/** An answer whose body is still to be read. A refusal is thrown. */
export async function openAnswer(path: string, options: RequestInit): Promise<Response> {
  const answer = await fetch(path, { ...options, credentials: 'same-origin' }).catch(unlessAborted)
  if (answer.status === 401 && !OPEN_PATHS.includes(location.pathname)) return await leaveForSignIn()
  if (!answer.ok)
    throw new ApiError(answer.status, (await answer.json().catch(() => undefined)) as ErrorBody | undefined)
  return answer
}

function unlessAborted(error: unknown): never {
  if (error instanceof DOMException && error.name === 'AbortError') throw error
  throw new Error('The gateway did not answer. Check that it runs, then try again.')
}

let isSigningOut = false

/** Whoever signs out wants to come back to nothing, also if the session refuses a request that is still on its way. */
export function forgetPlace(): void {
  isSigningOut = true
}

/** Never resolves: the page is about to be replaced. */
function leaveForSignIn(): Promise<never> {
  const here = location.pathname + location.search
  location.assign(isSigningOut || here === '/' ? '/sign-in' : pathWith('/sign-in', { next: here }))
  return new Promise(() => {})
}
