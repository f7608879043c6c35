import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { type FileContext, readBytes } from '../files/files.ts'

type Sent = { id: string; owner: string; name: string; size: number; type: string }

/** What browsers would run if they opened it is sent as plain bytes. */
const ACTIVE = /^(text\/html|image\/svg\+xml|text\/xml|application\/(xml|xhtml\+xml|javascript))/

/** Always an attachment in a sandbox: a file that someone uploaded must never become a page of ours. */
export async function sendFile(reply: FastifyReply, file: Sent, files: FileContext): Promise<FastifyReply> {
  const bytes = await readBytes(file, files)
  return reply
    .headers({
      'content-type': ACTIVE.test(file.type) ? 'application/octet-stream' : file.type,
      'content-length': file.size,
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name).replaceAll("'", '%27')}`,
      'content-security-policy': "sandbox; default-src 'none'",
    })
    .send(Readable.from(bytes, { objectMode: false }))
}
