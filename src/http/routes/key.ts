import { KeyState } from '../../contract/admin/limits.ts'
import { keyStateOf } from '../../money/limits/key-state.ts'
import { route } from '../define-route.ts'

export default route({
  method: 'GET',
  path: '/v3/key',
  access: 'key',
  summary: 'The caller’s own key: its limits, and what is left of them',
  description: 'For programs that look before they ask. The figures are those of the store, a second old at most.',
  replies: { 200: { description: 'The key.', schema: KeyState } },
  handle: (request, _reply, services) => {
    return keyStateOf(request.caller, services.calls)
  },
})
