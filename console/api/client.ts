import type { AdminApi } from './admin-api.ts'

// The admin API, as the browser calls it. The cookie of the session comes along by itself. What is asked and answered has the
// types of the contract, by method and path.

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
type Endpoint<M extends Method, Path extends string> = AdminApi[`${M} ${Path}` & keyof AdminApi]

/** The paths that have this method, with the names of their parameters. */
export type PathOf<M extends Method> = keyof AdminApi extends infer Name
  ? Name extends `${M} ${infer Path}`
    ? Path
    : never
  : never

/** Texts of an address are values of any type; the API reads them. */
export type QueryOf<M extends Method, Path extends string> = {
  readonly [Name in Endpoint<M, Path>['query']]?: string | number | boolean | undefined
}
/** The names that the query of a list may have. */
export type QueryName<Path extends PathOf<'GET'>> = keyof QueryOf<'GET', Path>
export type BodyOf<M extends Method, Path extends string> = Endpoint<M, Path>['body']
export type ReplyOf<M extends Method, Path extends string> = Endpoint<M, Path>['reply']

declare const FILLED: unique symbol
/** A path whose parameters have been filled in. */
type Filled<Path extends string> = string & { readonly [FILLED]: Path }
/** Where something is asked: a path without parameters, or a filled one. */
export type Address<Path extends string> = (Path & (Path extends `${string}{${string}` ? never : Path)) | Filled<Path>

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never

/** `pathTo('/admin/keys/{id}', { id })`. The values are encoded. */
export function pathTo<Path extends PathOf<Method>>(
  path: Path,
  values: Readonly<Record<NamesIn<Path>, string>>,
  query?: QueryOf<Method, Path>,
): Filled<Path> {
  const byName: Readonly<Record<string, string>> = values
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(byName[name] ?? ''))
  return pathWith(filled, query) as Filled<Path>
}

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

export function pathWith(path: string, query: Readonly<Query> = {}): string {
  const members = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  const text = new URLSearchParams(members).toString()
  return text === '' ? path : `${path}?${text}`
}

export async function getJson<Path extends PathOf<'GET'>>(
  path: Address<Path>,
  query?: QueryOf<'GET', Path>,
  signal?: AbortSignal,
): Promise<ReplyOf<'GET', Path>> {
  return (await getUrl(pathWith(path, query), signal)) as ReplyOf<'GET', Path>
}

/** For an address that was made of a path of the contract before. */
export function getUrl(url: string, signal?: AbortSignal): Promise<unknown> {
  return ask(url, signal ? { signal } : {})
}

type Changing = Exclude<Method, 'GET'>
/** A body that the endpoint takes has to be given, and another one cannot. */
type Given<Body> = undefined extends Body ? [] : [body: Body]

/** Undefined for an answer without a body. */
export async function sendJson<M extends Changing, Path extends PathOf<M>>(
  method: M,
  path: Address<Path>,
  ...[body]: Given<BodyOf<M, Path>>
): Promise<ReplyOf<M, Path>> {
  const content = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  return (await ask(path, { method, ...content })) as ReplyOf<M, Path>
}

async function ask(path: string, options: RequestInit): Promise<unknown> {
  const answer = await openAnswer(path, options)
  return answer.status === 204 ? undefined : await answer.json().catch(() => undefined)
}

export type Posted<Path extends string> = {
  query: QueryOf<'POST', Path>
  body: BodyOf<'POST', Path>
  signal: AbortSignal
}

/** Posts JSON. The body of the answer is still to be read. */
export function postJson<Path extends PathOf<'POST'>>(
  path: Address<Path>,
  { query, body, signal }: Posted<Path>,
): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return openAnswer(pathWith(path, query), { method: 'POST', headers, body: JSON.stringify(body), signal })
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

/**
 * After a sign-out, the next sign-in does not return to the page that was open, even if a request that was on its way is
 * refused.
 */
export function forgetReturnPath(): void {
  isSigningOut = true
}

/** Never resolves: the page is about to be replaced. */
function leaveForSignIn(): Promise<never> {
  const here = location.pathname + location.search
  location.assign(isSigningOut || here === '/' ? '/sign-in' : pathWith('/sign-in', { next: here }))
  return new Promise(() => {})
}
