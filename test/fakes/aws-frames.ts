// Frames as AWS's event streams send them: https://smithy.io/2.0/aws/amazon-eventstream.html
import { crc32 } from 'node:zlib'

const STRING = 7
const PRELUDE_BYTES = 12
const CHECKSUM_BYTES = 4

/** One frame: prelude, headers, payload, and a checksum of each half. */
export function awsFrame(headers: Record<string, string>, payload: string | Uint8Array = ''): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)))
  const body = Buffer.from(payload as Uint8Array)
  const prelude = Buffer.alloc(PRELUDE_BYTES)
  prelude.writeUInt32BE(PRELUDE_BYTES + head.length + body.length + CHECKSUM_BYTES, 0)
  prelude.writeUInt32BE(head.length, 4)
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8)
  return withChecksum(Buffer.concat([prelude, head, body]))
}

export function eventFrame(type: string, payload: unknown): Buffer {
  const headers = { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' }
  return awsFrame(headers, JSON.stringify(payload))
}

export function exceptionFrame(type: string, message: string): Buffer {
  const headers = { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' }
  return awsFrame(headers, JSON.stringify({ message }))
}

export function errorFrame(code: string, message: string): Buffer {
  return awsFrame({ ':error-code': code, ':error-message': message, ':message-type': 'error' })
}

function header(name: string, value: string): Buffer {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([STRING]), length, bytes])
}

function withChecksum(bytes: Buffer): Buffer {
  const checksum = Buffer.alloc(CHECKSUM_BYTES)
  checksum.writeUInt32BE(crc32(bytes))
  return Buffer.concat([bytes, checksum])
}
