import { Buffer } from 'node:buffer'
import { isRecord } from '../../../base/schema/record.ts'
import { field, fieldHead, readMessage, utf8 } from './protobuf.ts'
import type { Signal } from './exporter.ts'

// Writes into a batch of OpenTelemetry whose it is. The program that has sent it may claim what it wants, so attributes
// of the resource with our prefix are taken out first.

/** Attributes of the resource, all of them texts. OURS matches their names. */
export type Stamp = Readonly<Record<string, string>>

/** Also as collectors write it that allow no dots in names. */
const OURS = /^gatehouse[^a-z0-9]/i
/** The members of all three requests are alike. */
const LISTS: Readonly<Record<Signal, string>> = {
  traces: 'resourceSpans',
  metrics: 'resourceMetrics',
  logs: 'resourceLogs',
}
const [RESOURCES, RESOURCE, ATTRIBUTES, KEY] = [1, 1, 1, 1]
/** More than any agent sends in a batch. */
const MAX_FIELDS = 50_000
/** Each gets a stamp, which is longer than an empty one. An agent has one or two. */
const MAX_RESOURCES = 1_000

/** Throws if this is no such batch. Members that OTLP does not have are left out: a collector might read them under another name. */
export function stampJson(signal: Signal, batch: unknown, stamp: Stamp): string {
  const list = isRecord(batch) ? (batch[LISTS[signal]] ?? []) : undefined
  if (!Array.isArray(list)) throw new TypeError('This is no batch of OpenTelemetry.')
  demandFew(list.length)
  const own = Object.entries(stamp).map(([key, value]) => ({ key, value: { stringValue: value } }))
  const stamped = list.map((one: unknown) => {
    if (!isRecord(one)) throw new TypeError('A resource has to be an object.')
    const { resource = {}, ...rest } = one
    if (!isRecord(resource)) throw new TypeError('A resource has to be an object.')
    const theirs = Array.isArray(resource.attributes) ? resource.attributes.filter(isTheirs) : []
    return { ...rest, resource: { ...resource, attributes: [...theirs, ...own] } }
  })
  return JSON.stringify({ [LISTS[signal]]: stamped })
}

function isTheirs(pair: unknown): boolean {
  return isRecord(pair) && typeof pair.key === 'string' && !OURS.test(pair.key)
}

/** The same in protobuf. A message whose field stands twice is read as both together, so all resources of a part become one. */
export function stampProtobuf(batch: Uint8Array, stamp: Stamp): Buffer {
  const room = { fields: MAX_FIELDS }
  const own = Object.entries(stamp).map(([key, value]) => bytesOf(pairOf(key, value)))
  const resources = readMessage(batch, room).filter((one) => one.field === RESOURCES)
  demandFew(resources.length)
  const parts = resources.flatMap(({ bytes }) => {
    const members = readMessage(bytes, room)
    const resource = members.filter((one) => one.field === RESOURCE).flatMap((one) => readMessage(one.bytes, room))
    const theirs = resource.filter((one) => one.field !== ATTRIBUTES || !isOurs(one.bytes, room)).map(({ raw }) => raw)
    const others = members.filter((one) => one.field !== RESOURCE).map(({ raw }) => raw)
    return wrapped(RESOURCES, [...wrapped(RESOURCE, [...theirs, ...own]), ...others])
  })
  return Buffer.concat(parts)
}

function isOurs(pair: Uint8Array, room: { fields: number }): boolean {
  const keys = readMessage(pair, room).filter((one) => one.field === KEY)
  return keys.some(({ bytes }) => OURS.test(Buffer.from(bytes).toString()))
}

function demandFew(count: number): void {
  if (count > MAX_RESOURCES) throw new RangeError('there are too many resources')
}

function pairOf(key: string, value: string): string {
  return field(ATTRIBUTES, field(KEY, utf8(key)) + field(2, field(1, utf8(value))))
}

function wrapped(number: number, parts: readonly Uint8Array[]): Uint8Array[] {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return [bytesOf(fieldHead(number, length)), ...parts]
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}
