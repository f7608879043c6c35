import { ErrorBody } from '../../../contract/errors.ts'
import { problem } from '../../../contract/problems.ts'
import { route } from '../../define-route.ts'

export default route({
  method: 'POST',
  path: '/v3/images/variations',
  access: 'key',
  scope: 'images',
  summary: 'Create image variations (not implemented)',
  description: 'The models for variations no longer exist. Use POST /v3/images/edits with a prompt.',
  replies: { 501: { description: 'Always.', schema: ErrorBody } },
  handle: () => {
    throw problem('not_implemented', {
      message: 'Image variations are not implemented. Use POST /v3/images/edits with a prompt.',
    })
  },
})
