import { ProviderStateList } from '../../../contract/admin/providers.ts'
import { watchProviders } from '../../../calls/routing/watch-providers.ts'
import { askLocalServers } from '../../../calls/upstream/reported-models.ts'
import { route } from '../../define-route.ts'

export default route({
  method: 'GET',
  path: '/admin/providers',
  access: 'admin',
  permission: 'config.read',
  summary: 'List providers',
  replies: { 200: { description: 'All providers.', schema: ProviderStateList } },
  description:
    'Whether each provider can be called, what is missing, and the state of its credentials. ' +
    'Local servers (`local`) are asked for their models at the addresses of the configuration, at most every ten seconds and for ' +
    'at most two seconds, to find out whether they answer.',
  handle: async (_request, _reply, { calls, operations }) =>
    watchProviders(calls, operations.processName, await askLocalServers(calls)),
})
