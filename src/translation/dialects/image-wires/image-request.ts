import { pathSegment } from '../../wire/path-segment.ts'
import type { WireRequest } from '../../wire/wire.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { type FormPart, formBody } from '../form-body.ts'
import { writeJson } from '../../json/written-numbers.ts'

const JSON_TYPE = 'application/json'

export function jsonRequest(url: string, body: Fields, headers: Readonly<Record<string, string>> = {}): WireRequest {
  const ours = { 'content-type': JSON_TYPE, accept: JSON_TYPE, ...headers }
  return { method: 'POST', url, headers: ours, body: writeJson(body) }
}

export function formRequest(url: string, parts: readonly FormPart[]): WireRequest {
  const { contentType, ...form } = formBody(parts)
  return { method: 'POST', url, headers: { 'content-type': contentType, accept: JSON_TYPE }, ...form }
}

/** Asks for the state of a running task. */
export function pollRequest(url: string): WireRequest {
  return { method: 'GET', url, headers: { accept: JSON_TYPE }, body: null }
}

/** A model name with slashes as a URL path. No segment may lead upwards. */
export function modelPath(model: string): string {
  return model
    .split('/')
    .map((part) => pathSegment(part))
    .join('/')
}
