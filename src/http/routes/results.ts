import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from '../../schema/type.ts'
import { BYTES, FILE_TYPES } from '../../schema/fields.ts'
import { openLink } from '../../files/result-links.ts'
import { admit } from '../admission.ts'
import type { HttpServices, Route } from '../services.ts'
import { sendFile } from '../send-file.ts'

export default {
  method: 'GET',
  path: '/results/{id}',
  // The signature in the link is the permission. The route is outside of /v3, where all routes need a key.
  access: 'open',
  summary: 'A file that a task produced',
  description: 'The link comes with the task and works for seven days.',
  query: Type.Object({
    expires: Type.String({ description: 'Part of the link.' }),
    signature: Type.String({ description: 'Part of the link.' }),
  }),
  replies: { 200: { description: 'The bytes, always as an attachment.', contentType: FILE_TYPES, schema: BYTES } },
  handle: async (request: FastifyRequest, reply: FastifyReply, services: HttpServices) => {
    const { links, files } = services.context
    const { id } = request.params as { id: string }
    const { expires, signature } = request.query as Record<string, unknown>
    const file = await openLink(id, String(expires), String(signature), links)
    const refusal = admit(request, reply, file.owner, services)
    if (refusal) throw refusal
    return await sendFile(reply, file, files)
  },
} satisfies Route
