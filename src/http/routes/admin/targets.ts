import type { FastifyReply, FastifyRequest } from 'fastify'
import { freeObject } from '../../../schema/fields.ts'
import { watchTargets } from '../../../routing/watch-targets.ts'
import type { HttpServices, Route } from '../../services.ts'

export default {
  method: 'GET',
  path: '/admin/targets',
  access: 'admin',
  summary: 'Providers with their keys (masked), circuits that are not closed, and what has been observed',
  description:
    'What this process knows: each process of a fleet learns for itself. A circuit says whether it is open `for_everyone`, and ' +
    'for how many owners alone (`open_owners`).',
  replies: { 200: { description: 'The state of things.', schema: freeObject() } },
  handle: (_request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => watchTargets(context),
} satisfies Route
