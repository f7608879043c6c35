import type { IncomingHttpHeaders } from 'node:http'

// Clients append their own version and their own family to a base URL, and cannot be taught otherwise. Their paths are
// rewritten once, before the router sees them, so that every endpoint exists once.

/** `/v3/v1/…`, `/v1/…`, `/openai/v1/…`, `/anthropic/…`, `/v3/llm/…`. Some clients append a `/v1` of their own to a base URL with one. */
const PREFIX = /^(?:\/v3)?(?:\/(?:openai|anthropic|llm))?(?:\/v1){0,2}(?=\/)/
/** The versions of Google's API. */
const GOOGLE_PREFIX = /^(?:\/v3)?\/v1(?:beta\d?|alpha)(?=\/)/
/** Google's clients write the word before the version. */
const GOOGLE_UPLOAD = /^(?:\/v3)?\/upload\/v1(?:beta\d?|alpha)?\/files$/
/** Cohere's clients write its version before these. */
const COHERE_PATH = /^\/v2\/(?:chat|embed|rerank)$/
/** Google's own OpenAI-compatible layer. */
const GOOGLE_OPENAI = /^\/openai(?=\/)/
/** Some clients write `models/` before the name of a model only if it has no slash. */
const GOOGLE_METHOD = /^\/(?:models\/)?(.+)(?::|%3a)([a-z]+)$/i

/** Azure's clients write the name of a model, which is called a deployment there, into the path, with or without encoded slashes. */
const DEPLOYMENT =
  /^(?:\/v3)?(?:\/openai)?(?:\/v1)?\/deployments\/([^/].*?)(\/(?:(?:chat\/)?completions|responses|embeddings|images\/(?:generations|edits)|audio\/(?:speech|transcriptions|translations)))$/
/** Their versions are those of Azure, and mean nothing here. */
const API_VERSION = /(?<=[?&])api-version=[^&]*&?/g

const CHAT = '/v3/chat/completions'
const MESSAGES = /^\/messages(?=\/|$)/
const MODELS = /^\/models(?=\/|$)/
/** Several makers have something at these paths. Google's clients are known by the header of their key. */
const OF_GOOGLE = /^\/v3\/(?:v1\/(?=models(?:\/|$))|(?=(?:files|batches|cachedContents|fileSearchStores)(?:\/|$)))/
const VERSIONED_MODELS = /^\/v3\/v1\/models(?=\/|$)/
/** Anthropic's clients name a version of the format, and expect another shape. */
const FILES = /^\/v3\/files(?=\/|$)/
const NO_HEADERS: IncomingHttpHeaders = {}
const QUERY = '?'.charCodeAt(0)

/** The address as it is documented. Nearly all requests already use it. */
export function documentedUrl(url: string, headers: IncomingHttpHeaders = NO_HEADERS): string {
  if (url.startsWith(CHAT) && (url.length === CHAT.length || url.charCodeAt(CHAT.length) === QUERY)) return url
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  const plain = documentedPath(path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path)
  const documented = ofClient(plain, headers)
  if (documented === path) return url
  return end < 0 ? documented : documented + withoutVersion(url.slice(end))
}

/** Agents that people have signed in with send their messages below the address that they have signed in at. */
export function urlOfAgent(url: string): string {
  return url.replace(/^\/v3\/claude(?=\/v1\/messages(?:[/?]|$))/, '/v3')
}

/** Makers share paths, and their clients are known by their headers. */
function ofClient(path: string, headers: IncomingHttpHeaders): string {
  if (headers['x-goog-api-key'] !== undefined) return path.replace(OF_GOOGLE, '/v3/v1beta/')
  if (headers['anthropic-version'] !== undefined) return path.replace(FILES, '/v3/anthropic-files')
  if (isOfCohere(headers)) return path.replace(VERSIONED_MODELS, '/v3/v2/models')
  return path
}

/** What generated its clients writes their name into this header. */
function isOfCohere(headers: IncomingHttpHeaders): boolean {
  const name = headers['x-fern-sdk-name']
  return typeof name === 'string' && name.startsWith('cohere')
}

function withoutVersion(query: string): string {
  const rest = query.replace(API_VERSION, '')
  return rest === query ? query : rest.replace(/[?&]$/, '')
}

/** The model that the path of an Azure client names. It counts instead of the `model` in the body, which may be missing. */
export function deploymentIn(url: string): string | undefined {
  const [, name] = DEPLOYMENT.exec(url.split('?', 1)[0]!.replace(/\/$/, '')) ?? []
  return name === undefined ? undefined : decoded(name)
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** The address as the router knows it, which cannot read a name with slashes before the method of Google's addresses. */
export function routedUrl(url: string, headers?: IncomingHttpHeaders): string {
  const documented = documentedUrl(url, headers)
  if (!documented.startsWith('/v3/v1beta/')) return documented
  const [, path = '', query] = /^\/v3\/v1beta([^?]*)(.*)$/s.exec(documented) ?? []
  const [, model = '', method = ''] = GOOGLE_METHOD.exec(path) ?? []
  return METHODS.has(method) || OBJECT_METHODS.has(method)
    ? `/v3/v1beta/${method}/${model.replaceAll('/', '%2F')}${query}`
    : documented
}

function documentedPath(path: string): string {
  if (COHERE_PATH.test(path)) return `/v3${path}`
  if (GOOGLE_UPLOAD.test(path)) return '/v3/upload/v1beta/files'
  const deployed = DEPLOYMENT.exec(path)
  if (deployed) return `/v3${deployed[2]}`
  const google = GOOGLE_PREFIX.exec(path)?.[0]
  if (google) {
    const rest = path.slice(google.length)
    return GOOGLE_OPENAI.test(rest) ? ofRest(rest.replace(GOOGLE_OPENAI, ''), false) : googlePath(rest)
  }
  const prefix = PREFIX.exec(path)?.[0]
  return prefix ? ofRest(path.slice(prefix.length), /v1|anthropic/.test(prefix)) : path
}

/** Lists of models have further members for clients that expect a version in the path. */
function ofRest(rest: string, hasVersion: boolean): string {
  if (MESSAGES.test(rest)) return `/v3/v1${rest}`
  if (!MODELS.test(rest)) return `/v3${rest}`
  if (METHODS.has(methodOf(rest))) return googlePath(rest)
  return hasVersion ? `/v3/v1${rest}` : `/v3${rest}`
}

function googlePath(rest: string): string {
  const isNamed = rest.startsWith('/models') || !METHODS.has(methodOf(rest))
  return isNamed ? `/v3/v1beta${rest}` : `/v3/v1beta/models${rest}`
}

const METHODS: ReadonlySet<string> = new Set([
  ...['generateContent', 'streamGenerateContent', 'countTokens', 'embedContent', 'batchEmbedContents'],
  'batchGenerateContent',
])
/** Of batches and files. */
const OBJECT_METHODS: ReadonlySet<string> = new Set(['cancel', 'download'])

function methodOf(rest: string): string {
  return GOOGLE_METHOD.exec(rest)?.[2] ?? ''
}
