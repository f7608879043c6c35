import type { FastifyReply, FastifyRequest } from 'fastify'
import { ProviderStateList } from '../../../contract/admin/providers.ts'
import { watchProviders } from '../../../routing/watch-providers.ts'
import type { HttpServices, Route } from '../../services.ts'

export default {
  method: 'GET',
  path: '/admin/providers',
  access: 'admin',
  permission: 'config.read',
  summary: 'Every provider: whether it can be called, what is missing, and the state of its keys',
  replies: { 200: { description: 'All providers.', schema: ProviderStateList } },
  handle: (_request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => watchProviders(context),
} satisfies Route
