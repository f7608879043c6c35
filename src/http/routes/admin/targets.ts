import type { FastifyReply, FastifyRequest } from 'fastify'
import { freeObject } from '../../../contract/fields.ts'
import { watchTargets } from '../../../core/watch-targets.ts'
import type { House, Route } from '../../route.ts'

export default {
  method: 'GET',
  path: '/admin/targets',
  access: 'admin',
  summary: 'Providers with their keys (masked), circuits that are not closed, and what has been observed',
  description:
    'What this process knows: each process of a fleet learns for itself. A circuit says whether it is open `for_everyone`, and ' +
    'for how many owners alone (`open_owners`).',
  replies: { 200: { description: 'The state of things.', schema: freeObject() } },
  handle: (_request: FastifyRequest, _reply: FastifyReply, { outside }: House) => watchTargets(outside),
} satisfies Route
