import { ProviderStateList } from '../../../contract/admin/providers.ts'
import { watchProviders } from '../../../calls/routing/watch-providers.ts'
import { route } from '../../define-route.ts'

export default route({
  method: 'GET',
  path: '/admin/providers',
  access: 'admin',
  permission: 'config.read',
  summary: 'Every provider: whether it can be called, what is missing, and the state of its keys',
  replies: { 200: { description: 'All providers.', schema: ProviderStateList } },
  handle: (_request, _reply, services) => watchProviders(services.calls, services.operations.processName),
})
