import Type from '../../base/schema/type.ts'
import { BYTES, FILE_TYPES } from '../../base/schema/fields.ts'
import { openLink } from '../../calls/files/result-links.ts'
import { admit } from '../admission.ts'
import { route } from '../define-route.ts'
import { sendFile } from '../send-file.ts'

export default route({
  method: 'GET',
  path: '/results/{id}',
  // The signature in the link is the permission. The route is outside of /v3, where all routes need a key.
  access: 'open',
  summary: 'Download a result file',
  description: 'The link comes with the task and works for seven days.',
  // What is missing or repeated is a link that is not valid.
  rawQuery: true,
  query: Type.Object({
    expires: Type.String({ description: 'Part of the link.' }),
    signature: Type.String({ description: 'Part of the link.' }),
  }),
  replies: { 200: { description: 'The bytes, always as an attachment.', contentType: FILE_TYPES, schema: BYTES } },
  handle: async (request, reply, services) => {
    const { links, files } = services.calls
    const { id } = request.params
    const { expires, signature } = request.query
    const file = await openLink(id, String(expires), String(signature), links)
    const refusal = admit(request, reply, file.owner, services)
    if (refusal) throw refusal
    return await sendFile(reply, file, files)
  },
})
