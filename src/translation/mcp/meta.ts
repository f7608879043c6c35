import { type Fields, isRecord, recordOf } from '../../base/schema/record.ts'
import { invalidParams } from './errors.ts'

// What a message says about itself in `_meta`.

const PREFIX = 'io.modelcontextprotocol/'

export const META = {
  protocolVersion: `${PREFIX}protocolVersion`,
  clientInfo: `${PREFIX}clientInfo`,
  clientCapabilities: `${PREFIX}clientCapabilities`,
  serverInfo: `${PREFIX}serverInfo`,
  logLevel: `${PREFIX}logLevel`,
  subscriptionId: `${PREFIX}subscriptionId`,
} as const

/** The extension whose tasks are our jobs. */
export const TASKS_EXTENSION = `${PREFIX}tasks`

/** The name and version of a program, as it says them itself. Nothing is decided by it. */
export type Implementation = { name: string; version: string; title?: string; websiteUrl?: string }

/** What a request of the newest revision says about the client. */
export type RequestMeta = {
  protocolVersion: string
  clientInfo: Fields | undefined
  clientCapabilities: Fields
}

export function metaOf(params: Fields): Fields {
  return recordOf(params._meta)
}

/** Whether a request speaks the newest revision, or tries to. */
export function hasModernMeta(params: Fields): boolean {
  const meta = metaOf(params)
  return META.protocolVersion in meta || META.clientCapabilities in meta
}

/** Reads what every request of the newest revision has to say. */
export function readRequestMeta(params: Fields): RequestMeta {
  const meta = metaOf(params)
  const version = meta[META.protocolVersion]
  const capabilities = meta[META.clientCapabilities]
  if (typeof version !== 'string') throw invalidParams(`_meta needs "${META.protocolVersion}", a text.`, 400)
  if (!isRecord(capabilities)) throw invalidParams(`_meta needs "${META.clientCapabilities}", an object.`, 400)
  const info = meta[META.clientInfo]
  if (info !== undefined && !isRecord(info)) throw invalidParams(`"${META.clientInfo}" has to be an object.`, 400)
  return { protocolVersion: version, clientInfo: info, clientCapabilities: capabilities }
}

/** What a client adds to the parameters of each request of the newest revision. */
export function requestMeta(version: string, clientInfo: Implementation, clientCapabilities: object): Fields {
  return {
    [META.protocolVersion]: version,
    [META.clientInfo]: clientInfo,
    [META.clientCapabilities]: clientCapabilities,
  }
}

export type ProgressToken = string | number

/** The name under which the client wants to hear of progress. */
export function progressTokenOf(params: Fields): ProgressToken | undefined {
  const token = metaOf(params).progressToken
  return typeof token === 'string' || Number.isSafeInteger(token) ? (token as ProgressToken) : undefined
}

export function hasExtension(clientCapabilities: Fields, extension: string): boolean {
  return isRecord(recordOf(clientCapabilities.extensions)[extension])
}
