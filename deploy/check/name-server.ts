import { createSocket } from 'node:dgram'
import { once } from 'node:events'

const HEADER_BYTES = 12
const TYPE_A = 1
/** An answer with one record: response, recursion available, no error. */
const FOUND = 0x8180
const NOT_FOUND = 0x8183
/** A pointer to the name in the question. */
const SAME_NAME = 0xc00c

/** A name server that knows the addresses of a table, as Docker's does, and may be told others while it runs. */
export async function startNameServer(addresses: Map<string, string>): Promise<{ port: number; stop(): void }> {
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => socket.send(answer(query, addresses), port, address))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { port: socket.address().port, stop: () => socket.close() }
}

function answer(query: Buffer, addresses: Map<string, string>): Buffer {
  const { name, end } = readName(query)
  const address = query.readUInt16BE(end) === TYPE_A ? addresses.get(name) : undefined
  const header = Buffer.alloc(HEADER_BYTES)
  query.copy(header, 0, 0, 2)
  for (const [index, value] of [address ? FOUND : NOT_FOUND, 1, address ? 1 : 0].entries())
    header.writeUInt16BE(value, 2 + 2 * index)
  const question = query.subarray(HEADER_BYTES, end + 4)
  return Buffer.concat([header, question, ...(address ? [record(address)] : [])])
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = HEADER_BYTES
  while (query[at]) {
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!))
    at += 1 + query[at]!
  }
  return { name: labels.join('.'), end: at + 1 }
}

function record(address: string): Buffer {
  const fixed = Buffer.alloc(HEADER_BYTES)
  for (const [at, value] of [SAME_NAME, TYPE_A, 1].entries()) fixed.writeUInt16BE(value, 2 * at)
  fixed.writeUInt32BE(1, 6)
  fixed.writeUInt16BE(4, 10)
  return Buffer.concat([fixed, Buffer.from(address.split('.').map(Number))])
}
