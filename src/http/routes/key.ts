import { KeyState } from '../../contract/admin/limits.ts'
import { keyStateOf } from '../../money/limits/key-state.ts'
import { route } from '../define-route.ts'

export default route({
  method: 'GET',
  path: '/v3/key',
  access: 'key',
  summary: 'Get your key and its limits',
  description: 'For programs that check their limits before a request. The figures are at most a second old.',
  replies: { 200: { description: 'The key.', schema: KeyState } },
  handle: (request, _reply, services) => {
    return keyStateOf(request.caller, services.calls)
  },
})
