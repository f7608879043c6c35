import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { type FileServices, readBytes } from '../calls/files/files.ts'

type FileToSend = { id: string; owner: string; name: string; size: number; type: string }

/** Types that a browser would run are sent as plain bytes. */
const ACTIVE = /^(text\/html|image\/svg\+xml|text\/xml|application\/(xml|xhtml\+xml|javascript))/

/** Files are always sent as an attachment in a sandbox, so that an uploaded file can never become a page of the gateway. */
export async function sendFile(reply: FastifyReply, file: FileToSend, files: FileServices): Promise<FastifyReply> {
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
