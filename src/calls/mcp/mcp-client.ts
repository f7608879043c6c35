import { hash } from 'node:crypto'
import type { McpServer } from '../../platform/config/mcp/mcp-server.ts'
import type { Egress, EgressResponse } from '../../platform/net/egress/guarded-fetch.ts'
import { EgressFailed, EgressRefused } from '../../platform/net/egress/refusal.ts'
import { packageVersion } from '../../platform/version.ts'
import { ExpiringMap } from '../../base/fairness/expiring-map.ts'
import { headerSecrets } from '../../base/redaction/header-secrets.ts'
import { redacted } from '../../base/redaction/redacted.ts'
import { jsonWithoutSecrets } from '../../base/redaction/without-secrets.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/units/units.ts'
import { type Fields, listOf, recordOf, textOf } from '../../base/schema/record.ts'
import { ERROR_CODES, isModernError, type RpcError } from '../../translation/mcp/errors.ts'
import { callHeaders, SESSION_HEADER, VERSION_HEADER } from '../../translation/mcp/headers.ts'
import { notificationMessage, requestMessage, type RpcId } from '../../translation/mcp/messages.ts'
import { requestMeta } from '../../translation/mcp/meta.ts'
import { isLegacyVersion, LEGACY_VERSIONS, type LegacyVersion, MODERN_VERSION } from '../../translation/mcp/versions.ts'
import { kindOfStatus, UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { WireFailure } from '../../translation/wire/wire.ts'
import { errorIn, MAX_REPLY_BYTES, readReply } from './read-reply.ts'

const CLIENT = { name: 'gatehouse', version: packageVersion() }
const ACCEPT = 'application/json, text/event-stream'
const ACCEPTED = 202
/** The protocol has 404 for a session that has ended. Many servers answer with 400, as examples of the official SDK do. */
const NO_SESSION: ReadonlySet<number> = new Set([400, 404])

/** A server may be replaced by a newer one at any time, and by an older one hardly ever. */
const MODERN_LIFE_MS = DAY_MS
const LEGACY_LIFE_MS = HOUR_MS
const SESSION_LIFE_MS = 10 * MINUTE_MS
const MAX_ENTRIES = 2_000

/** How a server speaks. A legacy server may want a handshake for each client, and then names the session. */
type Era = { version: typeof MODERN_VERSION } | { version: LegacyVersion; hasSessions: boolean }

/** On whose behalf a server is asked, and until when. `mirrored`: headers that repeat arguments, for servers that want those. */
type Asking = {
  owner: string
  signal: AbortSignal
  timeoutMs?: number | undefined
  mirrored?: Readonly<Record<string, string>>
}

const MAX_MESSAGE_CHARS = 500
const OF_ALL = ''

type Known = { eras: ExpiringMap<Era>; sessions: ExpiringMap<string> }
type ClientOptions = { egress: Egress; monotonic(): number }

/**
 * Asks MCP servers, in whichever era they speak. Only the operator's own credential goes to a server, and only through the guard for
 * outbound requests. Sessions of older servers are kept for each owner apart, because a server may keep state in them.
 */
export class McpClient {
  readonly #options: ClientOptions
  /** By the address of the server. */
  readonly #eras: ExpiringMap<Era>
  /** By the account at the server. */
  readonly #sessions: ExpiringMap<string>
  #nextId = 1

  constructor(options: ClientOptions, known?: Known) {
    this.#options = options
    this.#eras = known?.eras ?? new ExpiringMap(MAX_ENTRIES, options.monotonic)
    this.#sessions = known?.sessions ?? new ExpiringMap(MAX_ENTRIES, options.monotonic)
  }

  /** The same client, by another way out. */
  through(egress: Egress): McpClient {
    return new McpClient({ ...this.#options, egress }, { eras: this.#eras, sessions: this.#sessions })
  }

  /** The result of one request. */
  async request(server: McpServer, method: string, params: Fields, asking: Asking): Promise<Fields> {
    const era = this.#eras.get(OF_ALL, server.url) ?? (await this.#discover(server, asking))
    if (era.version === MODERN_VERSION) return await this.#modern(server, method, params, asking)
    return await this.#legacy(server, era, { method, params }, asking)
  }

  /** Finds out how a server speaks: the newest revision is tried first, and only a refusal that is none of its own means an older one. */
  async #discover(server: McpServer, asking: Asking): Promise<Era> {
    const answer = await this.#post(server, modernMessage(this.#id(), 'server/discover', {}), asking)
    if (answer.error && isModernError(answer.error)) return await this.#asSupported(answer.error, server, asking)
    const supported = answer.result && listOf(answer.result.supportedVersions)
    if (supported?.includes(MODERN_VERSION)) return this.#learn(server, { version: MODERN_VERSION }, MODERN_LIFE_MS)
    if (!answer.result && !answer.error && answer.status >= 500)
      throw new UpstreamProblem('server_error', `the MCP server ${server.name} failed`)
    if (answer.status === 401 || answer.status === 403 || answer.status === 429)
      throw refusedWith(answer.status, server)
    const era = await this.#initialize(server, asking)
    return era
  }

  /** The server has refused the revision, and may say which ones it speaks. */
  async #asSupported(error: RpcError, server: McpServer, asking: Asking): Promise<Era> {
    const supported = listOf(recordOf(error.data).supported)
    if (supported.includes(MODERN_VERSION)) return this.#learn(server, { version: MODERN_VERSION }, MODERN_LIFE_MS)
    if (supported.some(isLegacyVersion)) return await this.#initialize(server, asking)
    throw refusal(error, server)
  }

  #learn(server: McpServer, era: Era, lifeMs: number): Era {
    this.#eras.set(OF_ALL, server.url, era, lifeMs)
    return era
  }

  async #modern(server: McpServer, method: string, params: Fields, asking: Asking): Promise<Fields> {
    const { body, headers } = modernMessage(this.#id(), method, params)
    const message = { body, headers: { ...headers, ...asking.mirrored } }
    const { result, error, status } = await this.#post(server, message, asking)
    if (result) return result
    // It may have been replaced by an older one.
    if (!error || !isModernError(error) || error.code === ERROR_CODES.unsupportedVersion)
      this.#eras.delete(OF_ALL, server.url)
    throw error ? refusal(error, server) : refusedWith(status, server)
  }

  async #legacy(server: McpServer, era: Era & { hasSessions?: boolean }, { method, params }: Called, asking: Asking) {
    for (let isRepeated = false; ; isRepeated = true) {
      const session = era.hasSessions ? await this.#sessionOf(server, asking) : undefined
      const headers = { [VERSION_HEADER]: era.version, ...(session !== undefined && { [SESSION_HEADER]: session }) }
      const answer = await this.#post(server, { body: requestMessage(this.#id(), method, params), headers }, asking)
      if (answer.result) return answer.result
      // The session has ended: the request was not carried out.
      if (session !== undefined && NO_SESSION.has(answer.status) && !isRepeated) {
        this.#sessions.delete(asking.owner, accountOf(server))
        continue
      }
      // What a tool or an argument has wrong is an error with the status 200. The server may speak differently by now.
      if (!answer.error || answer.status > 299) this.#eras.delete(OF_ALL, server.url)
      throw answer.error ? refusal(answer.error, server) : refusedWith(answer.status, server)
    }
  }

  async #sessionOf(server: McpServer, asking: Asking): Promise<string | undefined> {
    const known = this.#sessions.get(asking.owner, accountOf(server))
    if (known !== undefined) return known
    try {
      await this.#initialize(server, asking)
    } catch (error) {
      // It may speak differently by now.
      this.#eras.delete(OF_ALL, server.url)
      throw error
    }
    return this.#sessions.get(asking.owner, accountOf(server))
  }

  /** The handshake of the older revisions. */
  async #initialize(server: McpServer, asking: Asking): Promise<Era> {
    const params = { protocolVersion: LEGACY_VERSIONS[0], capabilities: {}, clientInfo: CLIENT }
    const answer = await this.#post(
      server,
      { body: requestMessage(this.#id(), 'initialize', params), headers: {} },
      asking,
    )
    if (!answer.result) throw answer.error ? refusal(answer.error, server) : refusedWith(answer.status, server)
    const version = answer.result.protocolVersion
    if (!isLegacyVersion(version))
      throw new UpstreamProblem('garbage', `the MCP server ${server.name} speaks a revision that the gateway does not`)
    const { session } = answer
    if (session !== undefined) this.#sessions.set(asking.owner, accountOf(server), session, SESSION_LIFE_MS)
    const headers = { [VERSION_HEADER]: version, ...(session !== undefined && { [SESSION_HEADER]: session }) }
    await this.#post(server, { body: notificationMessage('notifications/initialized'), headers }, asking)
    return this.#learn(server, { version, hasSessions: session !== undefined }, LEGACY_LIFE_MS)
  }

  async #post(server: McpServer, { body, headers }: Message, { signal, timeoutMs }: Asking): Promise<Answer> {
    const { auth, url } = server
    const limitMs = Math.min(timeoutMs ?? server.timeoutMs, server.timeoutMs)
    const sent = {
      'content-type': 'application/json',
      accept: ACCEPT,
      ...headers,
      ...(auth && { [auth.header]: auth.secret }),
    }
    try {
      const response = await this.#options.egress.fetch({
        method: 'POST' as const,
        url,
        headers: sent,
        body: JSON.stringify(body),
        redirects: 0 as const,
        signal,
        // A tool may work in silence for as long as it may work at all.
        maxBytes: MAX_REPLY_BYTES,
        timeoutMs: limitMs,
        idleMs: limitMs,
      })
      return await answerOf(response, 'id' in body ? body.id : undefined, server)
    } catch (error) {
      throw asFailure(error, server, signal)
    }
  }

  #id(): number {
    return this.#nextId++
  }
}

/** A session belongs to the credential that it was begun with. */
function accountOf({ url, auth }: McpServer): string {
  return auth ? `${url} ${hash('sha256', auth.secret)}` : url
}

type Called = { method: string; params: Fields }
type Message = {
  body: ReturnType<typeof requestMessage> | ReturnType<typeof notificationMessage>
  headers: Record<string, string>
}
type Answer = { status: number; result?: Fields; error?: RpcError; session?: string }

function modernMessage(id: number, method: string, params: Fields): Message {
  const whole = { ...params, _meta: { ...requestMeta(MODERN_VERSION, CLIENT, {}) } }
  return { body: requestMessage(id, method, whole), headers: callHeaders(MODERN_VERSION, { method, params: whole }) }
}

/** Everything that a server says comes in here, and its credential goes no further, if it shows what it was sent. */
async function answerOf(response: EgressResponse, id: RpcId | undefined, server: McpServer): Promise<Answer> {
  const { status, headers } = response
  const secrets = secretsOf(server)
  const session = textOf(headers[SESSION_HEADER]) || undefined
  if (id === undefined || status === ACCEPTED) {
    await response.body[Symbol.asyncIterator]().return?.()
    return { status, session }
  }
  if (status < 200 || status > 299)
    return { status, error: jsonWithoutSecrets(await errorIn(response), secrets), session }
  const reply = await readReply(response, id, server.name)
  if ('error' in reply) return { status, error: jsonWithoutSecrets(reply.error, secrets), session }
  return { status, result: jsonWithoutSecrets(reply.result, secrets), session }
}

function secretsOf({ auth }: McpServer): string[] {
  return auth ? headerSecrets(auth.secret) : []
}

/** An error that the server answered with. */
function refusal({ message }: RpcError, server: McpServer): UpstreamProblem {
  const { name, url } = server
  const hidden = { secrets: secretsOf(server), baseUrl: url }
  // No part of a secret is left by a cut.
  const said = redacted(message.slice(0, 8 * MAX_MESSAGE_CHARS), hidden).slice(0, MAX_MESSAGE_CHARS)
  return new UpstreamProblem('bad_request', `the MCP server ${name} answered with an error: ${said}`)
}

function refusedWith(status: number, { name }: McpServer): UpstreamProblem {
  if (status >= 300 && status < 400)
    return new UpstreamProblem(
      'unexpected_status',
      `the MCP server ${name} redirects, which the gateway does not follow`,
    )
  const kind = kindOfStatus(status)
  const does = kind === 'auth' ? "refused the gateway's credential" : 'answered'
  return new UpstreamProblem(kind, `the MCP server ${name} ${does} with the status ${status}`, { status })
}

/** What happened on the way there, in the words that attempts have for it. */
function asFailure(error: unknown, { name }: McpServer, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (error instanceof EgressRefused)
    return new UpstreamProblem(
      'rejected',
      `the address of the MCP server ${name} may not be reached from the gateway: a private address has to be in ALLOW_NETWORKS`,
    )
  if (!(error instanceof EgressFailed)) return error
  if (error.kind === 'too_large' || error.kind === 'compressed')
    return new UpstreamProblem('unreadable', `the answer of the MCP server ${name} is too large`)
  if (error.kind === 'timeout')
    return new WireFailure('headers_timeout', error, `the MCP server ${name} did not answer in time`)
  if (error.kind === 'proxy')
    return new WireFailure('proxy', error, `the outbound proxy did not open a connection to the MCP server ${name}`)
  // It may have done what it was asked for.
  if (BROKEN.has(error.cause))
    return new WireFailure(
      'reset',
      error,
      `the MCP server ${name} closed the connection before its answer was complete`,
    )
  return new WireFailure('refused', error, `the MCP server ${name} could not be reached`)
}

/** Codes of a connection that was open. */
const BROKEN: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])
