import { hasModernMeta, type RequestMeta, readRequestMeta } from './meta.ts'
import { headerMismatch, invalidRequest, unsupportedVersion } from './errors.ts'
import { checkHeaders, VERSION_HEADER } from './headers.ts'
import { readMessage, type RpcMessage, type RpcRequest } from './messages.ts'
import {
  BATCHING_VERSION,
  isLegacyVersion,
  isSupported,
  type LegacyVersion,
  MODERN_VERSION,
  SUPPORTED_VERSIONS,
  VERSION_WITHOUT_HEADER,
} from './versions.ts'

// What a client has posted to a server, in either era.

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** A message with the revision that it is answered in. */
export type Incoming =
  | { version: typeof MODERN_VERSION; message: RpcMessage; meta?: RequestMeta }
  | { version: LegacyVersion; message: RpcMessage }
  /** Each message is read by itself, so that one that is malformed has an error of its own. */
  | { version: typeof BATCHING_VERSION; batch: readonly unknown[] }

/** A client that sends more at once is not waiting for an answer. */
export const MAX_BATCH = 50

/** Reads the parsed body of a POST, or throws the problem that it has. */
export function readIncoming(headers: Headers, body: unknown): Incoming {
  if (Array.isArray(body)) return readBatch(headers, body)
  const message = readMessage(body)
  if (isModern(headers, message)) return readModern(headers, message)
  return { version: legacyVersion(headers, message), message }
}

function readBatch(headers: Headers, batch: unknown[]): Incoming {
  const version = headers[VERSION_HEADER] ?? VERSION_WITHOUT_HEADER
  if (version !== BATCHING_VERSION) throw invalidRequest(`Only ${BATCHING_VERSION} has several messages in one body.`)
  if (batch.length === 0) throw invalidRequest('A batch has at least one message.')
  if (batch.length > MAX_BATCH) throw invalidRequest(`A batch has at most ${MAX_BATCH} messages.`)
  return { version, batch }
}

/** The handshake is that of the older revisions, whatever a header says. */
function isModern(headers: Headers, message: RpcMessage): boolean {
  if (message.kind === 'response') return headers[VERSION_HEADER] === MODERN_VERSION
  if (hasModernMeta(message.params)) return true
  return message.method !== 'initialize' && headers[VERSION_HEADER] === MODERN_VERSION
}

function readModern(headers: Headers, message: RpcMessage): Incoming {
  if (message.kind === 'response') throw invalidRequest('A client does not post responses.')
  if (message.kind === 'notification') return { version: MODERN_VERSION, message }
  const meta = metaOrMismatch(headers, message)
  const { protocolVersion } = meta
  checkHeaders(headers, protocolVersion, message)
  if (!isSupported(protocolVersion)) throw unsupportedVersion(protocolVersion, SUPPORTED_VERSIONS)
  if (isLegacyVersion(protocolVersion)) return { version: protocolVersion, message }
  return { version: protocolVersion, message, meta }
}

/** A header without its member in the body says something that the body does not. */
function metaOrMismatch(headers: Headers, { params }: RpcRequest): RequestMeta {
  if (headers[VERSION_HEADER] === undefined) throw headerMismatch(`The header ${VERSION_HEADER} is missing.`)
  return readRequestMeta(params)
}

function legacyVersion(headers: Headers, message: RpcMessage): LegacyVersion {
  const named = headers[VERSION_HEADER] ?? VERSION_WITHOUT_HEADER
  if (isLegacyVersion(named)) return named
  if (message.kind === 'request' && message.method === 'initialize') return VERSION_WITHOUT_HEADER
  throw unsupportedVersion(String(named), SUPPORTED_VERSIONS)
}
