import { WatchedTargets } from '../../../contract/admin/operations.ts'
import { watchTargets } from '../../../calls/routing/watch-targets.ts'
import { route } from '../../define-route.ts'

export default route({
  method: 'GET',
  path: '/admin/targets',
  access: 'admin',
  permission: 'config.read',
  summary: 'Get circuits and latency',
  description:
    'Providers with their masked credentials, circuits that are not closed, and observed latency. What the answering process (`process`) knows: what it has observed itself, and what other processes on the same database ' +
    '(`other_processes`) have told it. The `process` of a circuit is the one whose calls failed. A circuit says whether it is ' +
    'open `for_everyone`, and for how many single owners it is open (`open_owners`).',
  replies: { 200: { description: 'The current state.', schema: WatchedTargets } },
  handle: (_request, _reply, services) => watchTargets(services.calls, services.operations),
})
